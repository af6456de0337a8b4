import { describe, expect, it } from 'vitest'
import { examine } from './record-scanner-examine.ts'
import { readHeader } from './record-scanner-header.ts'
import { MAX_RECORD_BYTES } from './record-scanner-window.ts'

const tooLarge = (line: number) =>
  `Line ${line}: the row is larger than 16 MiB. Usually a quote is opened there and never closed.`

describe('a huge record', () => {
  it.each(['\n', '\r\n', '\r', ''])('may have 16 MiB before %j', async (lineEnd) => {
    const text = filling('a\n1\n', 'f', MAX_RECORD_BYTES, `${lineEnd}`)
    expect(await examineText(text)).toEqual([2, 0])
  })

  it.each(['\n', '\r\n', '\r', '', '\n2\n'])('may not have one byte more before %j', async (lineEnd) => {
    const text = filling('a\n1\n', 'f', MAX_RECORD_BYTES + 1, lineEnd)
    await expect(examineText(text)).rejects.toThrow(tooLarge(3))
  })

  it('is refused with the line on which it starts, before the rest of it is read', async () => {
    let sent = 0
    const text = filling('a,b\n1,2\n"x\ny",2\n3,"', 'f', 50_000_000, '"\n', (bytes) => (sent = bytes))
    await expect(examineText(text, 2)).rejects.toThrow(tooLarge(5))
    expect(sent).toBeLessThan(MAX_RECORD_BYTES + 100_000)
  })

  it('is also refused as a header', async () => {
    await expect(readHeader(filling('', 'f', 50_000_000, ''), { delimiter: ',' })).rejects.toThrow(tooLarge(1))
  })

  it('may be followed by others', async () => {
    const text = filling('a,b\n1,"', '\n', 3_000_000, '"\nragged\n1,2\n')
    expect(await examineText(text, 2)).toEqual([2, 1])
  })

  it('may consist of delimiters', async () => {
    const text = filling('a,b\n1,2\nx', ',', 3_000_000, '\n3,4\n')
    expect(await examineText(text, 2)).toEqual([2, 1])
  })
})

async function examineText(text: AsyncIterable<Buffer>, columns = 1): Promise<[rows: number, setAside: number]> {
  const typed = Array.from({ length: columns }, () => 'infer' as const)
  const onSetAside = ({ cells }: { cells: string[] }) => expect(cells.length).toBeLessThanOrEqual(2000)
  const { rows, setAside } = await examine(text, { delimiter: ',', columns, typed, timeZone: 'UTC', onSetAside })
  return [rows, setAside]
}

/** Yields the beginning, a repeated byte, and the end, in chunks of 64 kB. */
async function* filling(
  beginning: string,
  byte: string,
  count: number,
  end: string,
  onSent: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  yield Buffer.from(beginning)
  for (let sent = 0; sent < count; sent += 65_536) {
    yield Buffer.alloc(Math.min(65_536, count - sent), byte)
    onSent(sent + 65_536)
  }
  yield Buffer.from(end)
}
