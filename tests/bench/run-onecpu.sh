#!/bin/sh
# Concurrency 1 with client and server on one CPU: throughput is then
# 1/(client CPU + server CPU) without cross-CPU wake-ups, the steadiest figure here.
cd "$(dirname "$0")" || exit 1
CPU=${CPU:-1}
R=results; mkdir -p $R
BENCH_NO_JVM=1 GOMAXPROCS=1 taskset -c $CPU ./bin/bench -servercpu $CPU -s h1-small,h1-tls-small,h2-small -c '^c1$' -reps 21 -d 80ms -json $R/onecpu.jsonl >$R/onecpu.md
BENCH_NO_JVM=1 GOMAXPROCS=1 taskset -c $CPU ./bin/bench -servercpu $CPU -s ws,ws-deflate -c '^(64B|1024B)-c1$' -reps 11 -d 80ms -json $R/onecpu.jsonl >>$R/onecpu.md
