import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { messages } from '@portico/contract/messages'
import { invalidField } from '#platform/app-error.ts'
import { createBoundedQueue } from '#platform/bounded-queue.ts'
import { bareEnvironment, limitedCommand } from '#platform/limited-process.ts'
import type { Logger } from '#platform/log.ts'
import { photoExit, photoMaxPixels } from './photo-exit.ts'

const run = promisify(execFile)
const photoProgram = fileURLToPath(new URL('./photo-process.ts', import.meta.url))

type Limits = { ms: number; dataBytes: number }
type MakePhoto = (image: Uint8Array, log: Logger) => Promise<Uint8Array>

/**
 * Returns a JPEG of 256 × 256 pixels from the middle of an image, upright and without metadata. The format is detected
 * from the content. Throws `invalid_input` for `body`, and `too_many_requests`.
 *
 * Node.js with the library counts 0.66 GB toward the limit, most of it only reserved; the largest image takes 0.25 GB
 * more.
 */
export const makePhoto = createPhotoMaker({ ms: 30_000, dataBytes: 1_000_000_000 })

/**
 * Decodes each image in a separate process, which runs `program`: only a process has limits that bind native code (ADR
 * 0053).
 */
export function createPhotoMaker(limits: Limits, program = photoProgram): MakePhoto {
  // Decoding takes a processor and up to a third of a gigabyte.
  const enqueue = createBoundedQueue({ atOnce: 2, waiting: 20 })
  let command: ReturnType<typeof limitedCommand> | undefined
  return async (image, log) => {
    if (!hasSignature(Buffer.from(image.buffer, image.byteOffset, image.byteLength))) throw refusal('.')
    return enqueue(async () => {
      command ??= decoder(program, limits, log)
      try {
        return await decode(image, await command(limits.ms), limits.ms)
      } catch (error) {
        throw problemOf(error, log)
      }
    })
  }
}

/** Avoids starting a process for a file that is not an image. */
function hasSignature(image: Buffer): boolean {
  const text = image.toString('latin1', 0, 12)
  return (
    text.startsWith('\u00ff\u00d8\u00ff') || text.startsWith('\u0089PNG\r\n\u001a\n') || /^RIFF.{4}WEBP/s.test(text)
  )
}

async function decode(image: Uint8Array, [command = '', ...args]: readonly string[], ms: number): Promise<Uint8Array> {
  const running = run(command, args, {
    encoding: 'buffer',
    timeout: ms,
    killSignal: 'SIGKILL',
    env: bareEnvironment,
  })
  // A process that ends early leaves the rest of its input unread, which is not a further error.
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.end(image)
  return (await running).stdout
}

function decoder(path: string, { ms, dataBytes }: Limits, log: Logger): ReturnType<typeof limitedCommand> {
  return limitedCommand({
    path,
    dataBytes,
    startsBy: (command) =>
      decode(new Uint8Array(), command, ms).then(
        () => false,
        // It started, and found no image; or the machine is too busy to tell.
        (error: unknown) => codeOf(error) === photoExit.damaged || isTimeout(error),
      ),
    onUnlimited: () => log.info('photos are decoded without a memory limit'),
  })
}

function problemOf(error: unknown, log: Logger): unknown {
  const code = codeOf(error)
  if (code === photoExit.damaged) return refusal('; this one is damaged.')
  if (code === photoExit.tooLarge) return refusal(` of at most ${photoMaxPixels / 1_000_000} megapixels.`)
  if (isTimeout(error)) return refusal('; this one took too long to read.')
  if (!(error instanceof Error)) return error
  // The message contains the output of the process; the error's other fields repeat it as bytes.
  if (!isCrash(error)) return new Error(error.message)
  log.warn({ reason: error.message }, 'decoding a photo crashed')
  return refusal('; this one is damaged.')
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'killed' in error && error.killed === true && codeOf(error) === null

/** The exit code, or a system code such as `ENOENT`; null if a signal ended the process. */
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Running out of memory ends Node.js by SIGTRAP or SIGABRT, reported as 133 and 134 if there is a shell in between. */
function isCrash(error: Error): boolean {
  const code = codeOf(error)
  return ('signal' in error && typeof error.signal === 'string') || (typeof code === 'number' && code >= 128)
}

const refusal = (rest: string): Error =>
  invalidField('body', `${messages.invalid} Choose a JPEG, PNG or WebP image${rest}`)
