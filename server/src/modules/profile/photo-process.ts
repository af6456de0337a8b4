// A process that makes one photo: it reads an image from standard input and writes a JPEG to standard output.
// `photo.ts` starts it.
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { photoExit, photoMaxPixels } from './photo-exit.ts'

const side = 256

// All other decoders of libvips are blocked, regardless of the format an image claims to have.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.cache(false)
// Each further thread takes memory, and one is fast enough.
sharp.concurrency(1)

const image = await buffer(process.stdin)
// Cameras write harmless oddities, which are warnings; a file that ends too early is an error.
const options = { pages: 1, failOn: 'error' } as const

/** Returns the photo, or the reason why there is none. */
async function makePhoto(): Promise<Buffer | keyof typeof photoExit> {
  try {
    const { format, width, height } = await sharp(image, { ...options, limitInputPixels: false }).metadata()
    if (format !== 'jpeg' && format !== 'png' && format !== 'webp') return 'damaged'
    if (width * height > photoMaxPixels) return 'tooLarge'
    return await sharp(image, { ...options, limitInputPixels: photoMaxPixels })
      .autoOrient()
      .resize(side, side, { fit: 'cover' })
      // JPEG has no transparency, which would become black.
      .flatten({ background: 'white' })
      .jpeg({ quality: 88 })
      .toBuffer()
  } catch {
    // The library has no error classes: any error means that it cannot read the image.
    return 'damaged'
  }
}

const photo = await makePhoto()
if (typeof photo === 'string') process.exitCode = photoExit[photo]
else process.stdout.write(photo)
