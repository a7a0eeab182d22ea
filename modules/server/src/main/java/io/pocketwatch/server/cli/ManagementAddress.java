// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the address of a management API. Errors do not repeat it: it may hold a password. */
public final class ManagementAddress implements ITypeConverter<URI> {

  @Override
  public URI convert(String text) {
    try {
      URI address = new URI(text);
      String scheme = String.valueOf(address.getScheme());
      if (address.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        return address;
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw new TypeConversionException(
        "is not the address of a management API such as http://user:password@host:15672");
  }
}
