import { Worker } from 'node:worker_threads'
import { messages } from '@portico/contract/messages'
import { AppError, invalidField } from '#platform/app-error.ts'
import { createBoundedQueue } from '#platform/bounded-queue.ts'
import { photoPixels } from './photo-size.ts'

/** Checked in the header before decoding, so that decompression bombs are refused. */
const photoMaxPixels = 25_000_000

// Decoding occupies a processor and up to half a gigabyte: one at a time, in its own thread.
const enqueue = createBoundedQueue({ atOnce: 1, waiting: 20 })
const longestMs = 30_000
const heapMegabytes = 512

const chooseImage = 'Choose a JPEG, PNG, GIF, BMP or TIFF image'

/**
 * Returns a JPEG of 256 × 256 pixels from the middle of an image, upright and without metadata. The format is detected
 * from the content. Throws `invalid_input` for `body`, and `too_many_requests`.
 */
export async function makePhoto(image: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const pixels = photoPixels(image)
  if (pixels === null) throw invalidField('body', `${messages.invalid} ${chooseImage}.`)
  if (pixels > photoMaxPixels) {
    const most = photoMaxPixels / 1_000_000
    throw invalidField('body', `${messages.invalid} ${chooseImage} of at most ${most} megapixels.`)
  }
  return enqueue(() => decode(image))
}

function decode(image: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./photo-worker.ts', import.meta.url), {
      workerData: image,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    })
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      settle()
      void worker.terminate()
    }
    const broken = invalidField('body', `${messages.invalid} ${chooseImage}; this one is damaged.`)
    const timer = setTimeout(() => end(() => reject(broken)), longestMs)
    worker.once('message', (photo: Uint8Array | null) => end(() => (photo ? resolve(photo) : reject(broken))))
    // Only running out of memory is the fault of the image here: the worker reports all other image errors by a message.
    worker.once('error', (error) => end(() => reject(isOutOfMemory(error) ? broken : error)))
    worker.once('exit', () => end(() => reject(new AppError('unexpected'))))
  })
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
