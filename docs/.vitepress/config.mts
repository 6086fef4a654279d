import { readdirSync } from 'node:fs'
import { defineConfig } from 'vitepress'

// The pages of the reference are made before each build: see tests/build/reference.go.
function reference() {
  const pages = readdirSync(new URL('../reference', import.meta.url)).filter((name) => name.endsWith('.md') && name !== 'index.md')
  return pages.map((name) => name.slice(0, -3)).sort().map((name) => ({ text: name, link: `/reference/${name}` }))
}

export default defineConfig({
  title: 'ok',
  description: 'OkHttp and Okio, rebuilt for Go',
  lang: 'en',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='6' fill='%2318794e'/><text x='16' y='23' text-anchor='middle' font-family='sans-serif' font-weight='700' font-size='19' fill='white'>ok</text></svg>" }]],
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' } },
  // The Go module with the code of the pages is not part of the site, and a page that leads nowhere fails the build.
  srcExclude: ['examples/**', 'plots/**', 'README.md'],
  ignoreDeadLinks: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    socialLinks: [{ icon: 'github', link: 'https://github.com/okhttp-go/ok' }],
    nav: [
      { text: 'Guide', link: '/getting-started' },
      { text: 'okhttp', link: '/okhttp/calls' },
      { text: 'Cookbook', link: '/cookbook/' },
      { text: 'okio', link: '/okio/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Decisions', link: '/adr/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Getting started', link: '/getting-started' },
          { text: 'Modules', link: '/modules' },
          { text: 'What happens when', link: '/when' },
          { text: 'Compared with others', link: '/comparison' },
          { text: 'Security promises', link: '/security' },
          { text: 'How it is built', link: '/architecture' },
          { text: 'Changelog', link: '/changelog' },
        ],
      },
      {
        text: 'Moving over',
        items: [
          { text: 'From net/http', link: '/migration/net-http' },
          { text: 'From resty', link: '/migration/resty' },
          { text: 'From OkHttp', link: '/migration/okhttp' },
        ],
      },
      {
        text: 'Cookbook',
        items: [
          { text: 'Recipes', link: '/cookbook/' },
          { text: 'Calls', link: '/cookbook/calls' },
          { text: 'Interceptors and events', link: '/cookbook/interceptors' },
          { text: 'HTTPS', link: '/cookbook/https' },
          { text: 'Networks that fail', link: '/cookbook/resilience' },
          { text: 'Connections and names', link: '/cookbook/network' },
          { text: 'Streams', link: '/cookbook/streams' },
          { text: 'In tests', link: '/cookbook/testing' },
        ],
      },
      {
        text: 'okhttp',
        items: [
          { text: 'Calls', link: '/okhttp/calls' },
          { text: 'Errors', link: '/okhttp/errors' },
          { text: 'Timeouts and cancellation', link: '/okhttp/timeouts' },
          { text: 'Bodies', link: '/okhttp/bodies' },
          { text: 'Options', link: '/okhttp/options' },
          { text: 'Interceptors', link: '/okhttp/interceptors' },
          { text: 'Events', link: '/okhttp/events' },
          { text: 'Redirects and retries', link: '/okhttp/redirects' },
          { text: 'Authentication', link: '/okhttp/authentication' },
          { text: 'Cookies', link: '/okhttp/cookies' },
          { text: 'Compression', link: '/okhttp/compression' },
          { text: 'With net/http', link: '/okhttp/net-http' },
          { text: 'Connections', link: '/okhttp/connections' },
          { text: 'HTTP/2', link: '/okhttp/http2' },
          { text: 'DNS', link: '/okhttp/dns' },
          { text: 'Proxies', link: '/okhttp/proxies' },
          { text: 'TLS', link: '/okhttp/tls' },
          { text: 'HTTP/1.1 strictness', link: '/okhttp/http1' },
          { text: 'Upgrades', link: '/okhttp/upgrades' },
          { text: 'HTTP Archives', link: '/okhttp/har' },
          { text: 'URLs', link: '/okhttp/urls' },
          { text: 'Dates, media types and others', link: '/okhttp/values' },
        ],
      },
      {
        text: 'okhttp-cache',
        items: [
          { text: 'Caching responses', link: '/cache/' },
          { text: 'What is stored and used', link: '/cache/semantics' },
          { text: 'Beyond OkHttp', link: '/cache/beyond' },
          { text: 'Events', link: '/cache/events' },
          { text: 'The suite of cache tests', link: '/cache/conformance' },
          { text: 'The store', link: '/cache/store' },
        ],
      },
      {
        text: 'okhttp-ws',
        items: [
          { text: 'Web sockets', link: '/websocket/' },
          { text: 'Servers', link: '/websocket/server' },
        ],
      },
      {
        text: 'okhttp-sse',
        items: [
          { text: 'Event streams', link: '/sse/' },
          { text: 'Reading and writing', link: '/sse/parsing' },
          { text: 'Answers of models', link: '/sse/models' },
          { text: 'Serving', link: '/sse/serving' },
          { text: 'As in OkHttp', link: '/sse/listeners' },
          { text: 'On the command line', link: '/sse/okcurl' },
        ],
      },
      {
        text: 'okio',
        items: [
          { text: 'What it is', link: '/okio/' },
          { text: 'Buffers', link: '/okio/buffers' },
          { text: 'Moving bytes', link: '/okio/moving' },
          { text: 'Sockets and time', link: '/okio/sockets' },
          { text: 'gzip and deflate', link: '/okio/gzip' },
          { text: 'File systems', link: '/okio/files' },
          { text: 'Recipes', link: '/okio/recipes' },
        ],
      },
      {
        text: 'Tools and tests',
        items: [
          {
            text: 'mockserver',
            link: '/mockserver',
            items: [
              { text: 'The server', link: '/mockserver/server' },
              { text: 'Responses', link: '/mockserver/responses' },
              { text: 'Faults', link: '/mockserver/faults' },
              { text: 'Scripting', link: '/mockserver/scripting' },
              { text: 'Routes and matchers', link: '/mockserver/routes' },
              { text: 'Verification', link: '/mockserver/verification' },
              { text: 'Stub files', link: '/mockserver/stubs' },
              { text: 'Record and replay', link: '/mockserver/recording' },
              { text: 'The command', link: '/mockserver/command' },
            ],
          },
          { text: 'okcurl', link: '/okcurl' },
          { text: 'Testing', link: '/testing' },
          { text: 'Benchmarks', link: '/benchmarks' },
        ],
      },
      {
        text: 'Contributing',
        items: [
          { text: 'A first change', link: 'https://github.com/okhttp-go/ok/blob/main/CONTRIBUTING.md' },
          { text: 'Releases', link: '/contributing/release' },
        ],
      },
      { text: 'Decisions', link: '/adr/' },
      { text: 'Reference', collapsed: true, items: reference() },
    ],
  },
})
