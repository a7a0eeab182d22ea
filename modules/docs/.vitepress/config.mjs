// SPDX-License-Identifier: Apache-2.0
// The site made of the repository's Markdown, which stays readable where it lies: links are those of the files, and
// are led to the pages of the site here. Files that are no pages are copied beside them.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGES = {
  'README.md': 'index.md',
  'modules/docs/index.md': 'pages.md',
  'modules/docs/zh/readme.md': 'zh/index.md',
  'docker/README.md': 'operate/stack.md',
  'modules/sample-order-timeout/README.md': 'guides/sample.md',
  'modules/it/FAULTS.md': 'evidence/faults.md',
  'modules/benchmarks/README.md': 'evidence/benchmarks.md',
  'modules/benchmarks/RESULTS.md': 'evidence/results.md',
  'modules/store-jdbc/PLANS.md': 'evidence/plans.md',
  'modules/core/NATIVE.md': 'contributing/native.md',
  'modules/core/ROOMS.md': 'contributing/rooms.md',
  'modules/tracking/ROOMS.md': 'contributing/tracking.md',
  'modules/tracking/GUARD.md': 'contributing/guard.md',
  'modules/tracking/ROW.md': 'contributing/row.md',
  'modules/server/ROOMS.md': 'contributing/server.md',
  'modules/schedules/SCHEDULES.md': 'contributing/schedules.md',
  'modules/lab/README.md': 'contributing/lab.md',
  'modules/test/README.md': 'contributing/test.md',
};
const BASE = process.env.DOCS_BASE ?? '/';
const REPOSITORY = process.env.DOCS_REPOSITORY;
// a text: a function would be called in the browser, where REPOSITORY is unknown
const EDIT = `${REPOSITORY}/edit/main/:path`;
const ICON = 'modules/server/src/main/resources/io/pocketwatch/server/console/icon.svg';
const files = new Set();

/** The version that is described here. */
const VERSION = readFileSync(join(ROOT, 'pom.xml'), 'utf8').match(/<version>(\S+)<\/version>/)[1];

/** The Javadoc of what users get, where a build has left it: by module, its archive. */
const javadoc = new Map(
  [...readFileSync(join(ROOT, 'modules/bom/pom.xml'), 'utf8').matchAll(/<artifactId>pocketwatch-(\S+)<\/artifactId>/g)].flatMap(([, module]) => {
    const target = join(ROOT, 'modules', module, 'target');
    const archive = existsSync(target) && readdirSync(target).find((file) => file.endsWith('-javadoc.jar'));
    return archive ? [[module, join(target, archive)]] : [];
  }),
);

/** Where a file of the repository is a page of the site. */
function page(file) {
  return PAGES[file] ?? (file.startsWith('modules/docs/') ? file.slice('modules/docs/'.length) : undefined);
}

/** The name of a copy, which no server hides or takes for a page. */
function copied(file) {
  return file.replace(/^\./, '').replace(/\.md$/, '.md.txt');
}

/** As GitHub makes anchors, so that one link serves both. */
function slugify(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

function lead(href, from) {
  const [path, hash] = href.split('#');
  if (path === '' || /^[a-z]+:/.test(path)) return href;
  const file = posix.normalize(posix.join(posix.dirname(from), decodeURI(path)));
  const anchor = hash ? `#${hash}` : '';
  if (file.endsWith('.md') && page(file)) return `/${page(file)}${anchor}`;
  const full = join(ROOT, file);
  if (!existsSync(full)) throw new Error(`${from}: there is no ${file}`);
  if (statSync(full).isDirectory()) return undefined;
  files.add(file);
  return `${BASE}files/${copied(file)}`;
}

function repositoryLinks(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = posix.normalize(relative(ROOT, env.realPath ?? env.path).replaceAll('\\', '/'));
    for (const token of tokens) {
      const open = [];
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') {
          const href = lead(child.attrGet('href'), from);
          open.push(href);
          if (href === undefined) Object.assign(child, { type: 'html_inline', tag: '', content: '' });
          else child.attrSet('href', href);
          // a file is no page: the router leaves it alone
          if (href?.startsWith(`${BASE}files/`)) child.attrSet('target', '_blank');
        } else if (child.type === 'link_close' && open.pop() === undefined) {
          Object.assign(child, { type: 'html_inline', tag: '', content: '' });
        } else if (child.type === 'image') {
          // seen from the file, as the bundler does
          child.attrSet('src', `./${child.attrGet('src')}`.replace('./../', '../'));
        }
      }
    }
  });
}

/** Words of letters, and each Chinese character by itself. */
function tokenize(text) {
  return text.toLowerCase().match(/[\u4e00-\u9fff]|[^\s\p{P}\p{S}\u4e00-\u9fff]+/gu) ?? [];
}

function pages(prefix, entries) {
  return Object.entries(entries).map(([link, text]) => ({ text, link: `/${prefix}${link}` }));
}

const sidebar = [
  { text: 'Start', items: pages('', { '': 'Pocketwatch', quickstart: 'Quickstart', choose: 'Choose', concepts: 'Concepts', recipes: 'Recipes' }) },
  { text: 'Guides', items: pages('guides/', { java: 'Java', database: 'Java with a database', spring: 'Spring', 'spring-tracking': 'Spring with a database', 'spring-settings': 'Spring settings', 'spring-cloud-stream': 'Spring Cloud Stream', duplicates: 'Duplicates and idempotent handlers', testing: 'Testing', 'from-the-plugin': 'From the plugin', 'from-ttl-queues': 'From TTL queues', 'from-schedulers': 'From Quartz, db-scheduler and JobRunr', http: 'HTTP', 'other-languages': 'Other languages', sample: 'A whole application' }) },
  { text: 'What it promises', items: pages('', { guarantees: 'Guarantees', 'reference/limits': 'Limits', 'reference/policies': 'Policies', versions: 'Versions', compare: 'Compare', 'evidence/': 'Evidence', faq: 'FAQ' }) },
  { text: 'Operate', items: pages('operate/', { stack: 'The stack in Docker', install: 'Install', kubernetes: 'Kubernetes', secure: 'Secure', 'personal-data': 'Personal data', monitor: 'Monitor', alerts: 'Alerts', troubleshoot: 'Troubleshoot', size: 'Size and performance tuning', upgrade: 'Upgrade and change', uninstall: 'Uninstall' }) },
  { text: 'Reference', items: pages('reference/', { configuration: 'Configuration', commands: 'Commands', rest: 'REST', metrics: 'Metrics', tables: 'Tables', 'wire-format': 'Wire format' }) },
  ...(javadoc.size ? [{ text: 'Javadoc', items: [...javadoc.keys()].map((module) => ({ text: module, link: `/api/${module}/index.html`, target: '_blank' })) }] : []),
  { text: 'More', items: pages('', { changelog: 'Changelog', pages: 'All pages' }) },
];

export default defineConfig({
  title: 'Pocketwatch',
  description: 'Delayed messages for RabbitMQ that arrive on time, without a plugin.',
  base: BASE,
  srcDir: '../..',
  srcExclude: ['**/node_modules/**', '**/target/**'],
  outDir: 'target/site',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }],
    // lines of code of the first page fit into its column
    ['style', {}, ':root { --vp-code-font-size: 13px } .VPDoc.has-aside .content-container { max-width: 720px }'],
    // on a phone a drawing is scrolled, not shrunk until nobody can read it
    ['style', {}, '@media (max-width: 640px) { .vp-doc p:has(> img) { overflow-x: auto } .vp-doc p > img[src*=svg] { max-width: none; width: 640px } }'],
  ],
  rewrites: (file) => page(file) ?? `more/${file}`,
  vite: {
    plugins: [
      {
        // Pages lie outside of this folder, and find Vue all the same.
        name: 'vue-for-pages',
        enforce: 'pre',
        resolveId(id, importer, options) {
          return /^vue(\/|$)/.test(id) && importer && !importer.includes('/node_modules/')
            ? this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true })
            : null;
        },
      },
    ],
  },
  markdown: {
    anchor: { slugify },
    config: repositoryLinks,
    // at least 4.5:1 for each word of code
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar } },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: 'RabbitMQ 的延迟消息：准时到达，不需要插件。',
      themeConfig: {
        sidebar: [
          { text: '开始', items: pages('zh/', { '': 'Pocketwatch', quickstart: '快速入门', choose: '如何选择', recipes: '常见用法', spring: 'Spring', install: '安装' }) },
          { text: '英文页面', collapsed: true, items: sidebar },
        ],
        outline: { level: [2, 3], label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '返回顶部',
        ...(REPOSITORY && { editLink: { pattern: EDIT, text: '编辑此页' } }),
      },
    },
  },
  themeConfig: {
    i18nRouting: false,
    logo: '/icon.svg',
    nav: [{ text: VERSION, items: pages('', { versions: 'What runs with what', changelog: 'Changelog' }) }],
    ...(REPOSITORY && {
      socialLinks: [{ icon: 'github', link: REPOSITORY }],
      editLink: { pattern: EDIT, text: 'Edit this page' },
    }),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize } },
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: {
                noResultsText: '没有结果',
                resetButtonTitle: '清除',
                footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
              },
            },
          },
        },
      },
    },
  },
  buildEnd({ outDir }) {
    for (const file of files) {
      const copy = join(outDir, 'files', copied(file));
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(ROOT, file), copy);
    }
    copyFileSync(join(ROOT, 'modules/docs/llms.txt'), join(outDir, 'llms.txt'));
    copyFileSync(join(ROOT, ICON), join(outDir, 'icon.svg'));
    for (const [module, archive] of javadoc) {
      const folder = join(outDir, 'api', module);
      mkdirSync(folder, { recursive: true });
      execFileSync('jar', ['xf', archive], { cwd: folder });
    }
  },
});
