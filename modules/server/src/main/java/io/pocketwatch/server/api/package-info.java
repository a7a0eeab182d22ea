// SPDX-License-Identifier: Apache-2.0
/** What {@code serve} answers below {@code /api/v1}; described by {@code openapi.yaml}. */
@NullMarked
package io.pocketwatch.server.api;

import org.jspecify.annotations.NullMarked;
