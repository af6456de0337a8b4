/** Enough bytes to detect the encoding. */
const MARK_BYTES = 4

/**
 * Yields a part of a workbook as UTF-8, without its byte order mark. Nearly all parts are UTF-8; XML also allows
 * UTF-16.
 */
export async function* utf8Of(part: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let head: Buffer | null = Buffer.alloc(0)
  for await (const chunk of part) {
    let bytes = chunk
    if (head) {
      head = Buffer.concat([head, chunk])
      if (head.length < MARK_BYTES) continue
      decoder = decoderOf(head)
      bytes = head.toString('hex', 0, 3) === 'efbbbf' ? head.subarray(3) : head
      head = null
    }
    yield decoder ? Buffer.from(decoder.decode(bytes, { stream: true })) : bytes
  }
}

/** Chosen by the byte order mark, or by the NUL next to the first `<`; null for UTF-8. */
function decoderOf(head: Buffer) {
  const mark = head.toString('hex', 0, 2)
  if (mark === 'fffe' || mark === '3c00') return new TextDecoder('utf-16le')
  return mark === 'feff' || mark === '003c' ? new TextDecoder('utf-16be') : null
}
