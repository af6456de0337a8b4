import { Worker } from 'node:worker_threads'
import { messages } from '@portico/contract/messages'
import { AppError, invalidField } from '#platform/app-error.ts'
import { createBoundedQueue } from '#platform/bounded-queue.ts'
import { photoPixels } from './photo-size.ts'

/** What more pixels would cost is told by a header of a few bytes: a bomb is refused before it goes off. */
const photoMaxPixels = 25_000_000

// Decoding takes a processor and, for the largest, half a gigabyte: one at a time, in a thread of its own.
const inTurn = createBoundedQueue({ atOnce: 1, waiting: 20 })
const longestMs = 30_000
const heapMegabytes = 512

const mustBe = 'Choose a JPEG, PNG, GIF, BMP or TIFF image'

/**
 * A JPEG of 256 × 256 pixels from the middle of an image, upright and with nothing else that the file held. Which of the
 * formats it is, its content decides. Throws `invalid_input` for `body`, and `too_many_requests`.
 */
export async function makePhoto(image: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const pixels = photoPixels(image)
  if (pixels === null) throw invalidField('body', `${messages.invalid} ${mustBe}.`)
  if (pixels > photoMaxPixels) {
    const most = photoMaxPixels / 1_000_000
    throw invalidField('body', `${messages.invalid} ${mustBe} of at most ${most} megapixels.`)
  }
  return inTurn(() => decode(image))
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
    const broken = invalidField('body', `${messages.invalid} ${mustBe}; this one is damaged.`)
    const timer = setTimeout(() => end(() => reject(broken)), longestMs)
    worker.once('message', (photo: Uint8Array | null) => end(() => (photo ? resolve(photo) : reject(broken))))
    // Out of memory, that is: whatever else goes wrong with an image is told by a message.
    worker.once('error', (error) => end(() => reject(isOutOfMemory(error) ? broken : error)))
    worker.once('exit', () => end(() => reject(new AppError('unexpected'))))
  })
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
