import { describe, expect, test } from 'vitest'
import { cleanHtml } from './clean-html.ts'

describe('an HTML body', () => {
  test.each([
    ['on one line', 'background-color: url(https://evil.example/x)'],
    ['after a line break', 'background-color: red\nurl(https://evil.example/x)'],
    ['after an encoded line break', 'list-style-type: a&#10;url(https://evil.example/x)'],
    ['after a form feed', 'font-family: a\f, url(https://evil.example/x)'],
    ['escaped', 'background-color: u\\72l(https://evil.example/x)'],
    ['of another property', 'background: url(https://evil.example/x)'],
    ['as a set of images', 'border: \r\nimage-set("https://evil.example/x" 1x)'],
  ])('loads nothing through a style, %s', async (_how, style) => {
    const clean = await cleanHtml(`<p style='color: red; ${style}'>Text</p>`)
    expect(clean).not.toContain('evil')
    expect(clean).toContain('Text')
  })

  test.each([
    '<svg><style><img src=x onerror=alert(1)></style></svg>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<!--[if mso]><script>alert(1)</script><![endif]-->',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<a href="jav&#x09;ascript:alert(1)">a</a>',
    '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
    '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  ])('runs nothing: %s', async (html) => {
    const clean = await cleanHtml(html)
    expect(clean).not.toMatch(/alert|<(script|style|svg|math|form|iframe|base|meta|noscript)/i)
  })

  test.each([
    ['elements that are not closed', '<b>'.repeat(30_000)],
    ['elements that are closed', `${'<div>'.repeat(9000)}${'</div>'.repeat(9000)}`],
    ['unknown elements', '<x>'.repeat(30_000)],
    ['elements that others close', '<p><li>'.repeat(14_000)],
    ['wrong ends', `${'<div>'.repeat(9000)}${'</p>'.repeat(9000)}`],
    ['a level too many', `${'<div>'.repeat(101)}${'</div>'.repeat(101)}`],
  ])('nested too deeply is refused at once: %s', async (_what, html) => {
    await expect(cleanHtml(html)).rejects.toThrow('nests elements more than 100 levels deep')
  })

  test('can have many elements side by side and up to 100 levels', async () => {
    const flat =
      '<p>a<br>'.repeat(5000) + '<ul>' + '<li>b'.repeat(5000) + '</ul>' + '<img src="https://x.example/a">'.repeat(200)
    expect(await cleanHtml(flat)).toContain('<li>b</li>')
    const deep = `${'<table><tr><td>'.repeat(33)}Text${'</td></tr></table>'.repeat(33)}`
    expect(await cleanHtml(deep)).toContain('Text')
  })
})
