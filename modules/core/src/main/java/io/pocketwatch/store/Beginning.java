// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/**
 * A copy that has arrived, and the handling that is wished for.
 *
 * @param handling its token is the asker's choice, unique, 1 to 36 ASCII characters
 * @param generation of which version of the message the copy is
 */
public record Beginning(Handling handling, int generation) {}
