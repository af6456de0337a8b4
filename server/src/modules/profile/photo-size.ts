/** The number of pixels that the headers of an image declare; null when its format is not supported. */
export function photoPixels(image: Uint8Array<ArrayBuffer>): number | null {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength)
  const format = formats.find(({ magic }) => magic.some((text) => startsWith(image, text)))
  try {
    const pixels = format?.pixels(view) ?? null
    return pixels !== null && pixels > 0 ? pixels : null
  } catch (error) {
    // The file ends before its header does.
    if (error instanceof RangeError) return null
    throw error
  }
}

type Format = { magic: string[]; pixels: (view: DataView) => number | null }

const formats: Format[] = [
  { magic: ['\u0089PNG\r\n\u001a\n'], pixels: (view) => view.getUint32(16) * view.getUint32(20) },
  { magic: ['\u00ff\u00d8\u00ff'], pixels: jpegPixels },
  { magic: ['GIF87a', 'GIF89a'], pixels: gifPixels },
  // A negative height means that the lines run from top to bottom.
  { magic: ['BM'], pixels: (view) => Math.abs(view.getInt32(18, true) * view.getInt32(22, true)) },
  { magic: ['II*\0', 'MM\0*'], pixels: tiffPixels },
]

function startsWith(image: Uint8Array, text: string): boolean {
  return Buffer.from(text, 'latin1').every((byte, index) => image[index] === byte)
}

/** Walks the segments to the first that describes a frame. */
function jpegPixels(view: DataView): number | null {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return view.getUint16(at + 5) * view.getUint16(at + 7)
    else at += 2 + view.getUint16(at + 2)
  }
  return null
}

/** C0 to CF, except the tables of Huffman (C4) and arithmetic coding (CC), and a reserved one (C8). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The larger of the screen and the first frame, which may exceed it. */
function gifPixels(view: DataView): number | null {
  const screen = view.getUint16(6, true) * view.getUint16(8, true)
  let at = 13 + colours(view.getUint8(10))
  for (;;) {
    const block = view.getUint8(at)
    if (block === 0x2c) return Math.max(screen, view.getUint16(at + 5, true) * view.getUint16(at + 7, true))
    // An extension: a label, then blocks that each begin with their length, ended by an empty one.
    if (block !== 0x21) return null
    at += 2
    while (view.getUint8(at) !== 0) at += view.getUint8(at) + 1
    at += 1
  }
}

const colours = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

const tiffMaxPages = 16
// No photo has more, and each sample takes memory.
const tiffMaxSamples = 8

/** The sum of all pages, since the library decodes every page. */
function tiffPixels(view: DataView): number | null {
  const isLittle = view.getUint8(0) === 0x49
  const seen = new Set<number>()
  let pixels = 0
  for (let at = view.getUint32(4, isLittle); at !== 0;) {
    if (seen.has(at) || seen.size >= tiffMaxPages) return null
    seen.add(at)
    const entries = view.getUint16(at, isLittle)
    const tags = new Map<number, number>()
    for (let index = 0; index < entries; index++) {
      const entry = at + 2 + index * 12
      const isShort = view.getUint16(entry + 2, isLittle) === 3
      const value = isShort ? view.getUint16(entry + 8, isLittle) : view.getUint32(entry + 8, isLittle)
      tags.set(view.getUint16(entry, isLittle), value)
    }
    if ((tags.get(277) ?? 1) > tiffMaxSamples) return null
    pixels += (tags.get(256) ?? 0) * (tags.get(257) ?? 0)
    at = view.getUint32(at + 2 + entries * 12, isLittle)
  }
  return pixels
}
