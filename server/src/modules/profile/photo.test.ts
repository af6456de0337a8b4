import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { createPhotoMaker, makePhoto } from './photo.ts'

const log = createLog({ level: 'silent' })
const minute = 60_000
const gigabyte = 1_000_000_000

const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: 'red' } })

const refusedAs = (message: string) =>
  expect.objectContaining({
    code: 'invalid_input',
    details: [{ field: 'body', message: expect.stringContaining(message) }],
  })

describe('25 megapixels', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('become a photo from %s', async (format) => {
    const image = await plain(5000, 5000).toFormat(format).toBuffer()
    const { format: made, width, height } = await sharp(await makePhoto(image, log)).metadata()
    expect([made, width, height]).toEqual(['jpeg', 256, 256])
  })

  test('become a photo from any encoding', async () => {
    const inPasses = await plain(5000, 5000, 4).toColourspace('rgb16').png({ progressive: true }).toBuffer()
    expect(await makePhoto(inPasses, log)).toBeInstanceOf(Uint8Array)
    const inScans = await plain(5000, 5000).withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer()
    expect(await makePhoto(inScans, log)).toBeInstanceOf(Uint8Array)
  })

  test.each(['jpeg', 'png', 'webp'] as const)('are the maximum for %s', async (format) => {
    const image = await plain(5200, 5000).toFormat(format).toBuffer()
    await expect(makePhoto(image, log)).rejects.toEqual(refusedAs('image of at most 25 megapixels.'))
  })
})

describe('a decompression bomb', () => {
  test('is refused by the size declared in its header', async () => {
    const image = pngOf([header(30_000, 30_000)], Buffer.alloc(1000))
    await expect(makePhoto(image, log)).rejects.toEqual(refusedAs('25 megapixels'))
  })

  test.each([
    ['small', header(16, 16), header(5200, 5000)],
    ['large', header(5200, 5000), header(16, 16)],
  ])('with two headers is refused, the first of them %s', async (_, ...headers) => {
    const image = pngOf(headers, Buffer.alloc(1000))
    await expect(makePhoto(image, log)).rejects.toEqual(refusedAs('this one is damaged'))
  })

  test('that unpacks to far more than its declared size is read only up to that size', async () => {
    // Interlaced: 300 kB that decode to 300 MB, of which 16 × 16 pixels are used.
    const image = pngOf([header(16, 16, 1)], Buffer.alloc(300_000_000))
    expect(await makePhoto(image, log)).toBeInstanceOf(Uint8Array)
  })

  test('in a TIFF with two values for its width is refused, like any TIFF', async () => {
    await expect(makePhoto(tiffOfTwoWidths(), log)).rejects.toEqual(refusedAs('Choose a JPEG, PNG or WebP image.'))
  })

  test.each(['jpeg', 'png', 'webp'] as const)('is not taken for %s by its first bytes alone', async (format) => {
    const start = (await plain(20, 20).toFormat(format).toBuffer()).subarray(0, 12)
    const image = Buffer.concat([start, tiffOfTwoWidths()])
    await expect(makePhoto(image, log)).rejects.toEqual(refusedAs('this one is damaged'))
  })
})

test.each(['jpeg', 'png', 'webp'] as const)('a truncated %s is refused as damaged', async (format) => {
  const image = await plain(400, 300).toFormat(format).toBuffer()
  const half = image.subarray(0, Math.floor(image.length / 2))
  await expect(makePhoto(half, log)).rejects.toEqual(refusedAs('this one is damaged'))
})

test('the first of several pages becomes the photo', async () => {
  const pages = await Promise.all(['red', 'blue'].map((background) => page(background)))
  const image = await sharp(pages, { join: { animated: true } })
    .webp()
    .toBuffer()
  const { data } = await sharp(await makePhoto(image, log))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect(data[0]).toBeGreaterThan(200)
})

const page = (background: string) =>
  sharp({ create: { width: 30, height: 30, channels: 3, background } })
    .png()
    .toBuffer()

describe('the decoding process', () => {
  test('is ended at its time limit, and the next one starts', async () => {
    const image = await plain(20, 20).png().toBuffer()
    const hasty = createPhotoMaker({ ms: 1, dataBytes: gigabyte })
    for (const _ of [1, 2, 3, 4]) {
      await expect(hasty(image, log)).rejects.toEqual(refusedAs('this one took too long to read'))
    }
    expect(await makePhoto(image, log)).toBeInstanceOf(Uint8Array)
  })

  test.runIf(existsSync('/usr/bin/prlimit'))('is limited in memory', async () => {
    const frugal = createPhotoMaker({ ms: minute, dataBytes: 0.78 * gigabyte })
    const wide = await plain(5000, 5000, 4).toColourspace('rgb16').png({ progressive: true }).toBuffer()
    await expect(frugal(wide, log)).rejects.toEqual(refusedAs('this one is damaged'))
    expect(await frugal(await plain(20, 20).png().toBuffer(), log)).toBeInstanceOf(Uint8Array)
  })

  test('has no memory limit if Node.js does not start under it', async () => {
    const tiny = createPhotoMaker({ ms: minute, dataBytes: 1_000_000 })
    expect(await tiny(await plain(20, 20).png().toBuffer(), log)).toBeInstanceOf(Uint8Array)
  })

  test.each(['SIGABRT', 'SIGTRAP', 'SIGKILL'])('reports a damaged image when it is ended by %s', async (signal) => {
    const made = runInstead(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`)
    await expect(made).rejects.toEqual(refusedAs('this one is damaged'))
  })

  test.each([133, 134])('reports a damaged image when a shell exits with %d', async (code) => {
    await expect(runInstead(`process.exit(${code})`)).rejects.toEqual(refusedAs('this one is damaged'))
  })

  test('does not blame the image for a programming error', async () => {
    await expect(runInstead(`import 'not-installed'`)).rejects.toThrow(/Command failed.*not-installed/s)
  })
})

/** Decodes an image with another program. */
async function runInstead(source: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'photo-'))
  try {
    const program = join(folder, 'program.mjs')
    await writeFile(program, source)
    const image = await plain(20, 20).png().toBuffer()
    return await createPhotoMaker({ ms: minute, dataBytes: gigabyte }, program)(image, log)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function header(width: number, height: number, interlace = 0): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 6, 0, 0, interlace], 8)
  return data
}

/** A PNG with these headers, regardless of its data. */
function pngOf(headers: Buffer[], raw: Buffer): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])))
    return Buffer.concat([length, Buffer.from(type), data, crc])
  }
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    ...headers.map((data) => chunk('IHDR', data)),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A TIFF whose width is a LONG with a count of 2, so its value is an offset to the true width. */
function tiffOfTwoWidths(): Buffer {
  const tiff = Buffer.alloc(64)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(2, 8)
  const entry = (at: number, tag: number, count: number, value: number): void => {
    tiff.writeUInt16LE(tag, at)
    tiff.writeUInt16LE(4, at + 2)
    tiff.writeUInt32LE(count, at + 4)
    tiff.writeUInt32LE(value, at + 8)
  }
  entry(10, 256, 2, 40)
  entry(22, 257, 1, 30_000)
  tiff.writeUInt32LE(30_000, 40)
  tiff.writeUInt32LE(30_000, 44)
  return tiff
}
