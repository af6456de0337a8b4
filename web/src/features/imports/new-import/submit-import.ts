import type { ImportReview } from '@portico/contract/import-review'
import type { Import, NewEventImport, NewImport } from '@portico/contract/imports'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { noteActivity } from '#lib/session/last-activity.ts'
import { countImports, createImport, createImportReview } from '../imports-queries.ts'
import { addUploadSample, uploadFile, type UploadSample } from './upload-file.ts'

/** The purpose of sending a file: to import it, to review its import, or only to preview it. */
type Aim = 'import' | 'review' | 'preview'

/** State of a submission. `failed` has the reason; the form keeps its values. */
export type Submission =
  | { step: 'idle' }
  | { step: 'uploading'; aim: Aim; samples: readonly UploadSample[] }
  | { step: 'saving'; aim: Aim }
  | { step: 'failed'; aim: Aim; reason: string }

export type Handlers = {
  onSaved: (item: Import) => void
  /** The review of an import with these settings has started. */
  onReviewing?: (review: ImportReview, file: File, body: NewImport) => void
  /**
   * Shows at its field what the server refused, and returns the text that no field shows. `forgetFile` makes the next
   * attempt send the file again.
   */
  onRefused: (error: unknown, forgetFile: () => void) => string | null
}

/** Uploads the file, then creates the import or its review. Another attempt does not send an uploaded file again. */
export function useImportSubmission({ onSaved, onReviewing, onRefused }: Handlers) {
  const client = useQueryClient()
  const { attempt, ...sending } = useSending(onRefused)

  const submit = (file: File, body: NewImport | NewEventImport): Promise<void> =>
    attempt(file, 'import', async (signal) => {
      const saved = await createImport(body, signal)
      void client.invalidateQueries({ queryKey: ['imports'] })
      onSaved(saved)
    })

  const review = (file: File, body: NewImport): Promise<void> =>
    attempt(file, 'review', async (signal) => onReviewing?.(await createImportReview(body, signal), file, body))

  return { ...sending, submit, review }
}

/** Sends a file and the call that follows, and reports the progress. */
function useSending(onRefused: Handlers['onRefused']) {
  const [submission, setSubmission] = useState<Submission>({ step: 'idle' })
  const uploaded = useRef<File | null>(null)
  // For rendering: the file that the portal is to preview, and the number of files so far.
  const [sent, setSent] = useState<{ file: File | null; count: number }>({ file: null, count: 0 })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  useStaySignedIn(submission.step === 'uploading')

  async function send(file: File, aim: Aim, signal: AbortSignal): Promise<void> {
    if (uploaded.current === file) return
    setSubmission({ step: 'uploading', aim, samples: [] })
    await uploadFile(file, { signal, onProgress: (sample) => setSubmission(withSample(sample)) })
    uploaded.current = file
  }

  function forgetFile(): void {
    uploaded.current = null
    setSent(({ count }) => ({ file: null, count }))
  }

  /** Sends the file without importing it, for the portal to preview it. */
  async function upload(file: File): Promise<void> {
    const controller = new AbortController()
    running.current = controller
    try {
      await send(file, 'preview', controller.signal)
      setSent(({ count }) => ({ file, count: count + 1 }))
      setSubmission({ step: 'idle' })
    } catch (error) {
      const failed: Submission = { step: 'failed', aim: 'preview', reason: messageOf(error) }
      setSubmission(controller.signal.aborted ? { step: 'idle' } : failed)
    }
  }

  /** Sends the file, unless it has arrived, and then the call about it. */
  async function attempt(file: File, aim: Aim, finish: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    running.current = controller
    try {
      await send(file, aim, controller.signal)
      setSubmission({ step: 'saving', aim })
      await finish(controller.signal)
      // An import closes the dialog.
      if (aim === 'review') setSubmission({ step: 'idle' })
    } catch (error) {
      if (controller.signal.aborted) return setSubmission({ step: 'idle' })
      const reason = onRefused(error, forgetFile)
      setSubmission(reason === null ? { step: 'idle' } : { step: 'failed', aim, reason })
    }
  }

  return {
    submission,
    sent,
    upload,
    attempt,
    cancelUpload: () => running.current?.abort(),
    /** Clears the failure. */
    forgetFailure: () => setSubmission({ step: 'idle' }),
  }
}

const staySignedInEveryMs = 60_000

/** Sending a large file may outlast a session's idle time, here and on the server; no clicks are needed meanwhile. */
function useStaySignedIn(isUploading: boolean): void {
  useEffect(() => {
    if (!isUploading) return
    const timer = window.setInterval(() => {
      noteActivity()
      // A failure does not matter: the upload has a link of its own.
      countImports().catch(() => undefined)
    }, staySignedInEveryMs)
    return () => window.clearInterval(timer)
  }, [isUploading])
}

const withSample =
  (sample: UploadSample) =>
  (now: Submission): Submission =>
    now.step === 'uploading' ? { ...now, samples: addUploadSample(now.samples, sample) } : now
