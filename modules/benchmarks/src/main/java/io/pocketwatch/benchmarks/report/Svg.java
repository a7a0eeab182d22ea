// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import de.erichseifert.vectorgraphics2d.Processors;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Charts as SVG whose text is text. */
final class Svg {
  private static final Pattern DOCTYPE = Pattern.compile("<!DOCTYPE[^>]*>\\s*");
  private static final Pattern FAMILY = Pattern.compile("font-family:&quot;[^;]*&quot;");

  /** Measured here with the first of them; the second is as wide. */
  private static final String FAMILIES = "font-family:'DejaVu Sans',Verdana,Helvetica,sans-serif";

  private Svg() {}

  static String of(Plot plot) throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    plot.chart().draw(graphics, new Rectangle2D.Double(0, 0, plot.width(), plot.height()));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Processors.get("svg")
        .getDocument(graphics.getCommands(), new PageSize(0, 0, plot.width(), plot.height()))
        .writeTo(out);
    String svg = DOCTYPE.matcher(out.toString(StandardCharsets.UTF_8)).replaceFirst("");
    return FAMILY.matcher(svg).replaceAll(FAMILIES);
  }
}
