// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.invoices;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;

/** What is to be paid some day. */
@Entity
@EntityListeners(Reminding.class)
public class Invoice {
  @Id private String id;

  Invoice() {}

  public Invoice(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }
}
