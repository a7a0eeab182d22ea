// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * How large the house is. Each number may fall; {@code -Dpocketwatch.sizes.write=true} notes that.
 * A number that is to rise is changed by hand, in a commit whose line in the changelog says what
 * for.
 */
class SizesTest {
  private static final Path SIZES = Path.of("src", "test", "resources", "sizes.txt");
  private static final Path MODULES = Path.of("..");
  private static final int LONG_FILE = 250;
  private static final int MANY_FIELDS = 10;
  private static final int COMPLEX = 10;

  private final Map<String, Long> now = new TreeMap<>();

  @Test
  void nothing_has_grown() throws IOException {
    for (Path module : modules()) {
      measure(module);
    }
    Map<String, Long> noted = noted();
    if (Boolean.getBoolean("pocketwatch.sizes.write")) {
      now.replaceAll((what, size) -> Math.min(size, noted.getOrDefault(what, size)));
      Files.writeString(SIZES, text(now));
    } else {
      assertThat(
              now.entrySet().stream()
                  .filter(each -> each.getValue() > noted.getOrDefault(each.getKey(), 0L))
                  .map(
                      each ->
                          "%s: %d, and %d may be"
                              .formatted(
                                  each.getKey(),
                                  each.getValue(),
                                  noted.getOrDefault(each.getKey(), 0L))))
          .as("larger than %s says", SIZES)
          .isEmpty();
      assertThat(noted.keySet()).as("what is there no more: write it anew").isEqualTo(now.keySet());
    }
  }

  private static Map<String, Long> noted() throws IOException {
    return Files.readAllLines(SIZES).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" = "))
        .collect(Collectors.toMap(parts -> parts[0], parts -> Long.valueOf(parts[1])));
  }

  private static String text(Map<String, Long> sizes) throws IOException {
    return Files.readAllLines(SIZES).stream()
            .filter(line -> line.startsWith("#"))
            .collect(Collectors.joining("\n", "", "\n"))
        + sizes.entrySet().stream()
            .map(each -> each.getKey() + " = " + each.getValue())
            .collect(Collectors.joining("\n", "", "\n"));
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> all = Files.list(MODULES)) {
      return all.filter(each -> Files.isDirectory(each.resolve("src/main/java"))).sorted().toList();
    }
  }

  private void measure(Path module) throws IOException {
    String name = module.getFileName().toString();
    List<Path> files;
    try (Stream<Path> all = Files.walk(module.resolve("src/main/java"))) {
      files = all.filter(each -> each.toString().endsWith(".java")).toList();
    }
    for (Path file : files) {
      long lines = Files.readAllLines(file).size();
      add(name + ", lines", lines);
      Path room = module.resolve("src/main/java").relativize(file.getParent());
      add(
          name + ", lines of " + room.toString().replace(file.getFileSystem().getSeparator(), "."),
          lines);
      add(name + ", files of more than 250 lines", lines > LONG_FILE ? 1 : 0);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager sources = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  sources,
                  null,
                  List.of("-proc:none"),
                  null,
                  sources.getJavaFileObjectsFromPaths(files));
      for (CompilationUnitTree unit : task.parse()) {
        new Shape(name).scan(unit, null);
      }
    }
  }

  private void add(String what, long size) {
    now.merge(what, size, Long::sum);
  }

  /** Of classes and methods. */
  private final class Shape extends TreeScanner<Void, Void> {
    private final String module;

    Shape(String module) {
      this.module = module;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      long fields = type.getMembers().stream().filter(Shape::isField).count();
      boolean value = type.getKind() == Tree.Kind.RECORD;
      add(module + ", classes of more than ten fields", !value && fields > MANY_FIELDS ? 1 : 0);
      return super.visitClass(type, unused);
    }

    private static boolean isField(Tree member) {
      return member instanceof VariableTree variable
          && !variable.getModifiers().getFlags().contains(Modifier.STATIC);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      Branches branches = new Branches();
      branches.scan(method.getBody(), null);
      add(module + ", methods with more than ten branches", branches.count > COMPLEX ? 1 : 0);
      return super.visitMethod(method, unused);
    }
  }

  /** As McCabe counts them; those of lambdas and local classes are their own. */
  private static final class Branches extends TreeScanner<Void, Void> {
    private static final Set<Tree.Kind> BRANCHING =
        Set.of(
            Tree.Kind.IF,
            Tree.Kind.FOR_LOOP,
            Tree.Kind.ENHANCED_FOR_LOOP,
            Tree.Kind.WHILE_LOOP,
            Tree.Kind.DO_WHILE_LOOP,
            Tree.Kind.CONDITIONAL_EXPRESSION,
            Tree.Kind.CATCH,
            Tree.Kind.CONDITIONAL_AND,
            Tree.Kind.CONDITIONAL_OR);

    private int count = 1;

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      return null;
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree lambda, Void unused) {
      return null;
    }

    @Override
    public Void scan(Tree tree, Void unused) {
      if (tree != null && BRANCHING.contains(tree.getKind())) {
        count++;
      }
      return super.scan(tree, unused);
    }

    @Override
    public Void visitCase(CaseTree tree, Void unused) {
      count += tree.getExpressions().isEmpty() ? 0 : 1; // "default" is what is left
      return super.visitCase(tree, unused);
    }
  }
}
