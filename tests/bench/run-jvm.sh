#!/bin/sh
# OkHttp 3.13.1 on the JVM against a few Go peers; about 4 minutes (JIT warm-up).
cd "$(dirname "$0")" || exit 1
R=results; mkdir -p $R
A='^(floor|floor-h2|floor-cache|nethttp|fasthttp|proto|proto-h2|okhttp-jvm|gregjones-nomem)$'
B=${B:-./bin/bench}
$B -a "$A" -s h1-small,h1-tls-small -reps 9 -d 300ms -json $R/jvm.jsonl >$R/jvm-h1.md 2>$R/jvm.err
$B -a "$A" -s h2-small -c '^c(1|8|64)$' -reps 9 -d 300ms -json $R/jvm.jsonl >$R/jvm-h2.md 2>>$R/jvm.err
$B -a "$A" -s h1-large,h2-large -reps 5 -json $R/jvm.jsonl >$R/jvm-large.md 2>>$R/jvm.err
$B -a "$A" -s cache -reps 9 -d 300ms -json $R/jvm.jsonl >$R/jvm-cache.md 2>>$R/jvm.err
# steady state after a longer warm-up
BENCH_JVM_WARMUP=20s $B -a "$A" -s h1-small,h2-small -c '^c(1|8|64)$' -reps 9 -d 300ms -json $R/jvm.jsonl >$R/jvm-warm.md 2>>$R/jvm.err
BENCH_JVM_WARMUP=12s $B -a "$A" -s h1-large -c '^(get64M|post64M)$' -reps 7 >>$R/jvm-warm.md 2>>$R/jvm.err
