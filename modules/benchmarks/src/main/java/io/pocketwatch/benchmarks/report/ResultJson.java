// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Results as JSON that two runs can be compared by: sorted maps, no digits beyond what is known.
 */
public final class ResultJson {
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final SimpleModule NUMBERS =
      new SimpleModule()
          .addSerializer(Double.class, new Rounded())
          .addSerializer(Double.TYPE, new Rounded());
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .addModule(NUMBERS)
          .build();

  private ResultJson() {}

  /** The text of a {@code bench --json} file. */
  public static String of(Results results) {
    try {
      return MAPPER.writeValueAsString(results) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a setting, option or round holds what JSON cannot", e);
    }
  }

  /** Three significant digits; one decimal from 100 up. */
  static BigDecimal rounded(double number) {
    BigDecimal exact = BigDecimal.valueOf(number);
    BigDecimal rounded =
        Math.abs(number) >= 100
            ? exact.setScale(1, RoundingMode.HALF_UP)
            : exact.round(new MathContext(SIGNIFICANT_DIGITS, RoundingMode.HALF_UP));
    BigDecimal shortest = rounded.stripTrailingZeros();
    return shortest.scale() < 0 ? shortest.setScale(0) : shortest;
  }

  private static final class Rounded extends StdSerializer<Double> {
    private static final long serialVersionUID = 1L;

    Rounded() {
      super(Double.class);
    }

    @Override
    public void serialize(Double number, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      if (Double.isFinite(number)) {
        json.writeNumber(rounded(number).toPlainString());
      } else {
        json.writeNull(); // JSON has no word for it
      }
    }
  }
}
