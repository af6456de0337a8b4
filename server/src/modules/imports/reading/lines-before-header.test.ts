import { expect, test } from 'vitest'
import { withoutLinesBefore } from './lines-before-header.ts'

async function rest(text: string, headerLine: number | null, chunkBytes: number): Promise<string> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const kept: Buffer[] = []
  for await (const chunk of withoutLinesBefore(chunks(), headerLine)) kept.push(Buffer.from(chunk))
  return Buffer.concat(kept).toString()
}

test.each([
  ['Title\nA,B\n1,2\n', 2, '\nA,B\n1,2\n'],
  ['Title\r\n\r\nA,B\r\n1,2', 3, '\n\nA,B\r\n1,2'],
  ['Title\rExported\rA,B\r1,2', 3, '\n\nA,B\r1,2'],
  ['Title\n\r\nA', 3, '\n\nA'],
  // A quote that is never closed does not affect how lines are counted.
  ['"Best donors\n,"\nA,B\n1,"2"\n', 3, '\n\nA,B\n1,"2"\n'],
  ['sep=;\r\nTitle\r\nA;B\r\n', 3, 'sep=;\n\nA;B\r\n'],
  ['"sep=|"\nA|B\n', 2, '"sep=|"\nA|B\n'],
  ['Title\nA\n', 9, '\n\n'],
  ['Title\nA\n', 1, 'Title\nA\n'],
  ['Title\nA\n', null, 'Title\nA\n'],
  ['', 4, ''],
  [`${'x'.repeat(3000)}\nÄ\n`, 2, '\nÄ\n'],
])('%j from line %s on is %j, in chunks of any size', async (text, headerLine, expected) => {
  for (const chunkBytes of [1, 2, 3, 7, 4096]) expect(await rest(text, headerLine, chunkBytes)).toBe(expected)
})
