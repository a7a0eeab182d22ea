// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.opentest4j.TestAbortedException;

/** A headless Chromium that looks at the page. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  private static final int WIDTH = 1_366;
  private static final int PHONE = 390;

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /**
   * @throws TestAbortedException where there is none
   */
  static Browser start() {
    Optional<File> chromium = installed("chromium", "chromium-browser", "google-chrome");
    Optional<File> chromedriver = installed("chromedriver");
    if (chromium.isEmpty() || chromedriver.isEmpty()) {
      String loud =
          "NOT TESTED: the console needs chromium and chromedriver on the PATH"
              + " (apt-get install --no-install-recommends chromium chromium-driver)";
      System.err.println(loud);
      throw new TestAbortedException(loud);
    }
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get());
    options.addArguments(
        "--headless=new",
        "--no-sandbox", // CI runs as root in a container
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--lang=en-GB",
        "--window-size=1366,900");
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(chromedriver.get())
            .withEnvironment(Map.of("TZ", "Asia/Shanghai", "LANGUAGE", "en_GB"))
            .build();
    return new Browser(new ChromeDriver(service, options));
  }

  private static Optional<File> installed(String... names) {
    List<String> folders = List.of(System.getenv("PATH").split(File.pathSeparator));
    return List.of(names).stream()
        .flatMap(name -> folders.stream().map(folder -> new File(folder, name)))
        .filter(File::canExecute)
        .findFirst();
  }

  /** Anew, also if only what is behind the # is another. */
  void open(String url) {
    driver.get("about:blank");
    driver.get(url);
  }

  /** Somebody uses the menu. */
  void go(String view) {
    click(".menu a[href='#" + view + "']");
  }

  void back() {
    driver.navigate().back();
  }

  /** Runs in each page opened from now on, before its own scripts. */
  void onEachPage(String script) {
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  WebElement see(String css) {
    return await(css)
        .until(
            () ->
                driver.findElements(By.cssSelector(css)).stream()
                    .filter(Browser::isShown)
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  void seeText(String css, String text) {
    await(css + " saying " + text).until(() -> texts(css).stream().anyMatch(t -> t.contains(text)));
  }

  void seeNo(String css) {
    await("no " + css)
        .until(() -> driver.findElements(By.cssSelector(css)).stream().noneMatch(Browser::isShown));
  }

  private static org.awaitility.core.ConditionFactory await(String what) {
    return org.awaitility.Awaitility.await(what)
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(
            e ->
                e instanceof StaleElementReferenceException
                    || e instanceof ElementClickInterceptedException);
  }

  private static boolean isShown(WebElement element) {
    return element.isDisplayed();
  }

  private List<String> texts(String css) {
    return driver.findElements(By.cssSelector(css)).stream().map(WebElement::getText).toList();
  }

  /** The page paints its tables anew while it is looked at. */
  void click(String css) {
    see(css);
    await("a click on " + css)
        .until(
            () -> {
              WebElement element = driver.findElement(By.cssSelector(css));
              driver.executeScript(
                  "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element);
              element.click();
              return true;
            });
  }

  void type(String css, String text) {
    see(css).clear();
    see(css).sendKeys(text);
  }

  /** What people do with a list to choose from, or a field for a date. */
  void set(String css, String value) {
    driver.executeScript(
        "arguments[0].value = arguments[1];"
            + "arguments[0].dispatchEvent(new Event('change', {bubbles: true}))",
        see(css),
        value);
  }

  /** To where Tab would come. */
  void focus(String css) {
    driver.executeScript("arguments[0].focus()", see(css));
  }

  /** What has the focus gets these. */
  void press(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  void point(String css) {
    new Actions(driver).moveToElement(see(css)).perform();
  }

  void pointNowhere() {
    new Actions(driver).moveToLocation(2, 2).perform();
  }

  /** What an expression about a module of the page gives. */
  Object ask(String module, String expression) {
    return driver.executeAsyncScript(
        "const done = arguments[arguments.length - 1];"
            + "import('/console/' + arguments[0]).then(it => done(%s), failure => done('' + failure))"
                .formatted(expression),
        module);
  }

  String address() {
    return driver.getCurrentUrl();
  }

  Object run(String script) {
    return driver.executeScript(script);
  }

  /** What has the focus is used as by keyboard. */
  void enter(String css) {
    focus(css);
    press(Keys.ENTER);
  }

  /** In both languages, as wide as an operator's screen and on a phone. */
  void screenshots(String name) throws IOException {
    for (String language : List.of("zh", "en")) {
      set("#language", language);
      for (int width : new int[] {PHONE, 1_400}) {
        boolean phone = width == PHONE;
        pretend(width, 900, phone);
        Number height = (Number) run("return document.documentElement.scrollHeight");
        pretend(width, height.intValue(), phone); // a menu at the foot of it covers nothing
        screenshot(name + "-" + language + "-" + width);
      }
    }
  }

  void pretendPhone() {
    pretend(PHONE, 844, true);
  }

  void pretendLaptop() {
    pretend(WIDTH, 900, false);
  }

  private void pretend(int width, int height, boolean mobile) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of(
            "width",
            width,
            "height",
            height,
            "deviceScaleFactor",
            mobile ? 2 : 1,
            "mobile",
            mobile));
  }

  /** The whole page, however long. */
  void screenshot(String name) throws IOException {
    capture(name, Map.of("format", "png", "captureBeyondViewport", true));
  }

  /** The laptop's page from its top, this many pixels of it. */
  void screenshot(String name, int height) throws IOException {
    pretend(WIDTH, height, false);
    driver.executeAsyncScript( // charts are painted anew for a page of another size
        "const done = arguments[0];"
            + "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200)))");
    Map<String, Object> clip = Map.of("x", 0, "y", 0, "width", WIDTH, "height", height, "scale", 1);
    capture(name, Map.of("format", "png", "captureBeyondViewport", true, "clip", clip));
  }

  private void capture(String name, Map<String, Object> how) throws IOException {
    driver.executeScript("scrollTo({top: 0, behavior: 'instant'})");
    Map<String, Object> picture = driver.executeCdpCommand("Page.captureScreenshot", how);
    Files.createDirectories(SCREENSHOTS);
    Files.write(
        SCREENSHOTS.resolve(name + ".png"),
        Base64.getDecoder().decode((String) picture.get("data")));
  }

  /** Warnings and errors since the last time. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
