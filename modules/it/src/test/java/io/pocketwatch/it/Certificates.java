// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** An authority of one test, and the certificates it gives out; made with the JDK's keytool. */
final class Certificates {
  /** Of every key store here. */
  static final String PASSWORD = "keystore-password";

  private final Path folder;
  private final Certificate authority;

  /**
   * A certificate with its key.
   *
   * @param certificate PEM
   * @param key PEM, as PKCS 8
   * @param keyStore both, as PKCS 12
   */
  record Identity(Path certificate, Path key, Path keyStore) {}

  Certificates(Path folder) throws IOException, GeneralSecurityException {
    this.folder = folder;
    generate("authority", "-ext", "bc:critical=ca:true");
    keytool("authority", "-exportcert", "-rfc", "-file", authority().toString());
    authority = certificate(Files.readString(authority()));
    KeyStore trusted = empty();
    trusted.setCertificateEntry("authority", authority);
    save(trusted, trustStore());
  }

  /** The authority's own certificate, PEM. */
  Path authority() {
    return folder.resolve("authority.pem");
  }

  /** The same as a trust store, PKCS 12. */
  Path trustStore() {
    return folder.resolve("trusted.p12");
  }

  /**
   * Gives one out.
   *
   * @param names of hosts, as keytool wants them: {@code dns:localhost,ip:127.0.0.1}
   */
  Identity issue(String name, String names) throws IOException, GeneralSecurityException {
    generate(name);
    String request = keytool(name, "-certreq");
    Path asked = Files.writeString(folder.resolve(name + ".csr"), request);
    String pem =
        keytool(
            "authority", "-gencert", "-rfc", "-infile", asked.toString(), "-ext", "san=" + names);
    Key key = load(folder.resolve(name + ".p12")).getKey(name, PASSWORD.toCharArray());
    KeyStore keyStore = empty();
    keyStore.setKeyEntry(
        name,
        key,
        PASSWORD.toCharArray(),
        new Certificate[] {certificate(pem.substring(pem.indexOf("-----"))), authority});
    Path identity = folder.resolve(name + "-identity.p12");
    save(keyStore, identity);
    String encoded = Base64.getMimeEncoder().encodeToString(key.getEncoded());
    return new Identity(
        Files.writeString(folder.resolve(name + ".pem"), pem),
        Files.writeString(
            folder.resolve(name + ".key"),
            "-----BEGIN PRIVATE KEY-----\n" + encoded + "\n-----END PRIVATE KEY-----\n"),
        identity);
  }

  /** Trusts the authority alone. */
  SSLContext context(@Nullable Identity shown) throws IOException, GeneralSecurityException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(load(trustStore()));
    KeyManager[] keys = {};
    if (shown != null) {
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(load(shown.keyStore()), PASSWORD.toCharArray());
      keys = factory.getKeyManagers();
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, trust.getTrustManagers(), null);
    return context;
  }

  private void generate(String name, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("-genkeypair", "-keyalg", "RSA", "-dname"));
    all.add("CN=" + name);
    all.addAll(List.of(options));
    keytool(name, all.toArray(String[]::new));
  }

  /** On the store of that name, which has one entry of that name; what it printed. */
  private String keytool(String name, String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(List.of(arguments));
    line.addAll(List.of("-alias", name, "-storepass", PASSWORD, "-keystore"));
    line.add(folder.resolve(name + ".p12").toString());
    Path errors = folder.resolve("keytool.log");
    Process process = new ProcessBuilder(line).redirectError(errors.toFile()).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(line + " failed: " + printed + Files.readString(errors));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    return printed;
  }

  private static Certificate certificate(String pem) throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
  }

  private static void save(KeyStore store, Path file) throws IOException, GeneralSecurityException {
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD.toCharArray());
    }
  }
}
