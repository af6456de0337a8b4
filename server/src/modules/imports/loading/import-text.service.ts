import { FileMissing } from '#platform/storage.ts'
import type { FileRun } from '../import-context.ts'
import { delimiterOf } from '../import-plan.ts'
import { openSourceText } from '../reading/source-text.ts'

/** Opens the uploaded file as UTF-8 text, from the beginning. @throws FileMissing if it has been deleted */
export async function openImportText(run: FileRun, onBytesRead?: (sofar: number) => void) {
  const { storage, row } = run
  const size = await storage.size(row.file_key)
  if (size === null) throw new FileMissing()
  const stream = (start?: number, end?: number) =>
    storage.read(row.file_key, { ...(start !== undefined && { start }), ...(end !== undefined && { end }) })
  const { unpackedBytes } = storage
  const reading = { delimiter: delimiterOf(row.delimiter), sheet: row.file_sheet, headerLine: row.header_line }
  const checkpoint = () => run.checkpoint()
  const file = { name: row.file_path, sizeBytes: size, unpackedBytes, checkpoint, stream }
  return openSourceText(file, reading, onBytesRead)
}

/** Passes the text of the whole file to `work`, and records how much of it has been read. */
export async function readReporting<T>(run: FileRun, work: (text: AsyncGenerator<Buffer>) => Promise<T>): Promise<T> {
  const { row } = run
  let bytesRead = 0
  let isWriting = false
  // About once a second, and never two at a time: reporting progress must not slow the work down.
  const timer = setInterval(() => {
    if (isWriting) return
    isWriting = true
    const progress = Math.min(1, bytesRead / Math.max(1, Number(row.file_size)))
    run
      .record({ phase_progress: progress, last_activity_at: new Date() })
      .catch((error: unknown) => run.log.warn({ err: error }, 'progress of an import could not be written'))
      .finally(() => (isWriting = false))
  }, 1000)
  try {
    return await work(withCheckpoints(run, await openImportText(run, (sofar) => (bytesRead = sofar))))
  } finally {
    clearInterval(timer)
  }
}

// Cancellation is checked between chunks of the file; checking at each one would cost more than reading it. By time,
// not by bytes: a file of tiny rows takes seconds for a megabyte.
const checkpointMs = 1000

/** Yields the text until the import is cancelled. For every read of a whole file. */
export async function* withCheckpoints(
  run: Pick<FileRun, 'checkpoint'>,
  text: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let last = performance.now()
  for await (const chunk of text) {
    if (performance.now() - last >= checkpointMs) {
      await run.checkpoint()
      last = performance.now()
    }
    yield chunk
  }
}
