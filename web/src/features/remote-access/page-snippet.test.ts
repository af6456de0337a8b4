import { expect, test } from 'vitest'
import { originOf, pageSnippet, programSnippet, visitorHint } from './page-snippet.ts'

const place = { origin: 'https://portal.example.com', account: 12, columns: ['Email'] }

test('a page loads the script with its columns, and shows the first public columns', () => {
  expect(pageSnippet(place, ['First Name', 'City', 'Zip', 'Country'])).toBe(
    [
      '<script async src="https://portal.example.com/api/contact-service/v1/public/portico.js" data-account="12" data-key="Email"></script>',
      '<p>Hello <span data-portico="First Name">there</span></p>',
      '<p data-portico-if="City" hidden>City: <span data-portico="City"></span></p>',
      '<p data-portico-if="Zip" hidden>Zip: <span data-portico="Zip"></span></p>',
    ].join('\n'),
  )
  expect(pageSnippet({ ...place, columns: ['Email', 'Zip'] }, [])).toContain('data-key="Email" data-key2="Zip"')
})

test('column names cannot break out of the page', () => {
  const snippet = pageSnippet({ ...place, columns: ['"><img>'] }, [`<b>&'"`])
  expect(snippet).toContain('data-key="&quot;&gt;&lt;img&gt;"')
  expect(snippet).toContain('data-portico="&lt;b&gt;&amp;&#39;&quot;"')
})

test('a program sends the columns as the query', () => {
  expect(programSnippet({ ...place, columns: ['First Name', "O'Neil"] })).toBe(
    "curl 'https://portal.example.com/api/contact-service/v1/public/12/offers?First%20Name=&O%27Neil='",
  )
})

test('the visitor is identified by the address of the page', () => {
  expect(visitorHint(['Email', 'Zip'])).toBe("Visitors are known by ?Email=…&Zip=… in the page's address.")
  expect(visitorHint(['purl'])).toBe(
    "Visitors are known by the PURL at the end of the page's path, or by ?purl=… in its address.",
  )
})

test.each([
  ['shop.example.com', 'https://shop.example.com'],
  [' shop.example.com:8443 ', 'https://shop.example.com:8443'],
  ['localhost:3000', 'http://localhost:3000'],
  ['203.0.113.7', 'http://203.0.113.7'],
  ['', ''],
])('the origin of a page of "%s" is "%s"', (domain, origin) => {
  expect(originOf(domain)).toBe(origin)
})
