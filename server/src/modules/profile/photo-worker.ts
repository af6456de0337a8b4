import { parentPort, workerData } from 'node:worker_threads'
import { inflateSync } from 'node:zlib'
import { Jimp } from 'jimp'

// A thread that makes one photo and ends. `photo.ts` starts it with the bytes of an image.

const side = 256
const white = 0xff_ff_ff_ff
// Four channels of two bytes for each pixel that `photo.ts` allows, and a filter byte per line.
const pngMaxBytes = 25_000_000 * 9

async function makePhoto(image: Buffer): Promise<Uint8Array> {
  if (image[0] === 0x89) requireSmallPng(image)
  const read = await Jimp.fromBuffer(image, { 'image/jpeg': { maxResolutionInMP: 25, maxMemoryUsageInMB: 512 } })
  const square = read.cover({ w: side, h: side })
  // JPEG has no transparency, which would become black.
  const canvas = new Jimp({ width: side, height: side, color: white })
  return canvas.composite(square, 0, 0).getBuffer('image/jpeg', { quality: 88 })
}

/** Throws if the PNG unpacks to too many bytes: the library does not limit interlaced images. */
function requireSmallPng(image: Buffer): void {
  const parts: Buffer[] = []
  for (let at = 8; at + 12 <= image.length;) {
    const length = image.readUInt32BE(at)
    if (image.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(image.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  inflateSync(Buffer.concat(parts), { maxOutputLength: pngMaxBytes })
}

// Any error means that the libraries cannot read the image.
parentPort?.postMessage(await makePhoto(Buffer.from(workerData as Uint8Array)).catch(() => null))
