// SPDX-License-Identifier: Apache-2.0
/** The resources of {@code /api/v1}; described by {@code openapi.yaml}. */
@NullMarked
package io.pocketwatch.server.api;

import org.jspecify.annotations.NullMarked;
