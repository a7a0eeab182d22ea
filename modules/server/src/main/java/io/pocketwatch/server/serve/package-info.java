// SPDX-License-Identifier: Apache-2.0
/** The daemon: loads what is stored, and answers for its health over HTTP. */
@NullMarked
package io.pocketwatch.server.serve;

import org.jspecify.annotations.NullMarked;
