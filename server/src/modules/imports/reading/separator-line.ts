import { namedDelimiter } from '@portico/domain/separator-line'
import { FileRefused } from './source-text-refused.ts'

/** Separator between two cells. */
export type Delimiter = ',' | '\t' | '|' | ';'

const delimiters: readonly string[] = [',', '\t', '|', ';'] satisfies Delimiter[]

/** Maximum bytes of a line that may name the delimiter. */
export const longestSeparatorLine = 2048

/**
 * Looks for the line with which files tell Excel their delimiter (`sep=;`), with or without quotes. It is not a record:
 * the returned text begins with the end of this line, and all lines keep their numbers.
 * @throws FileRefused for a delimiter that files cannot have
 */
export async function takeSeparatorLine(
  text: AsyncIterable<Buffer>,
): Promise<{ delimiter: Delimiter | null; rest: AsyncGenerator<Buffer> }> {
  const chunks = text[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  let end = -1
  while (end === -1 && head.length < longestSeparatorLine) {
    const { value, done } = await chunks.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
    end = head.subarray(0, longestSeparatorLine).findIndex((byte) => byte === 0x0a || byte === 0x0d)
  }
  const line = head.toString('latin1', 0, end === -1 ? Math.min(head.length, longestSeparatorLine) : end)
  const sign = namedDelimiter(line)
  if (sign === null) return { delimiter: null, rest: continued(head, chunks) }
  if (!delimiters.includes(sign)) {
    await chunks.return?.()
    throw new FileRefused(
      `Line 1 says that "${sign}" separates the cells. Use commas, semicolons, tabs or pipes, and change or delete this line.`,
    )
  }
  return { delimiter: sign as Delimiter, rest: continued(head.subarray(line.length), chunks) }
}

async function* continued(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head
    for (;;) {
      const { value, done } = await chunks.next()
      if (done) return
      yield value
    }
  } finally {
    await chunks.return?.()
  }
}
