import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import okhttp3.*;

/** Tells what OkHttp reads in the directory of a cache. args: directory. Each line of the input is a URL, a tab, and headers "name: value" between tabs. */
public class ReadCache {
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    Cache cache = new Cache(new File(args[0]), 100 << 20);
    OkHttpClient client = new OkHttpClient.Builder().cache(cache).followRedirects(false).followSslRedirects(false).build();
    int urls = 0;
    for (Iterator<String> i = cache.urls(); i.hasNext(); i.next()) urls++;
    out.println("urls " + urls + " size " + cache.size());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] parts = line.split("\t");
      Request.Builder b = new Request.Builder().url(parts[0]).cacheControl(CacheControl.FORCE_CACHE);
      for (int i = 1; i < parts.length; i++) b.addHeader(parts[i].substring(0, parts[i].indexOf(": ")), parts[i].substring(parts[i].indexOf(": ") + 2));
      try (Response r = client.newCall(b.build()).execute()) {
        byte[] body = r.body().bytes();
        StringBuilder s = new StringBuilder(parts[0] + "\t" + r.code() + " " + r.message());
        Response stored = r.cacheResponse();
        if (stored != null) {
          for (int i = 0; i < stored.headers().size(); i++) s.append("\t").append(stored.headers().name(i)).append(": ").append(stored.headers().value(i));
          s.append("\tsent ").append(stored.sentRequestAtMillis()).append(" received ").append(stored.receivedResponseAtMillis());
          if (r.handshake() != null) {
            s.append("\t").append(r.handshake().tlsVersion().javaName()).append(" ").append(r.handshake().cipherSuite().javaName()).append(" ").append(r.handshake().peerCertificates().size());
          }
        }
        s.append("\t").append(okio.ByteString.of(body).sha256().hex());
        out.println(s);
      }
    }
    cache.close();
  }
}
