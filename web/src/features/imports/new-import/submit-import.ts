import type { Import, NewEventImport, NewImport } from '@portico/contract/imports'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { noteActivity } from '#lib/session/last-activity.ts'
import { countImports, createImport } from '../imports-queries.ts'
import { addUploadSample, uploadFile, type UploadSample } from './upload-file.ts'

/** State of a submission. `failed` has the reason; the form keeps its values. */
export type Submission =
  | { step: 'idle' }
  | { step: 'uploading'; samples: readonly UploadSample[] }
  | { step: 'saving' }
  | { step: 'failed'; reason: string }

type Handlers = {
  onSaved: (item: Import) => void
  /** Shows at its field what the server refused, and returns the text that no field shows. A forgotten file is sent again. */
  onRefused: (error: unknown, forgetFile: () => void) => string | null
}

/** Uploads the file, then creates the import. A file that has arrived is not sent again on another try. */
export function useImportSubmission({ onSaved, onRefused }: Handlers) {
  const client = useQueryClient()
  const [submission, setSubmission] = useState<Submission>({ step: 'idle' })
  const uploaded = useRef<File | null>(null)
  // For what is drawn: the file that the portal is to look into, and how many these were.
  const [sent, setSent] = useState<{ file: File | null; count: number }>({ file: null, count: 0 })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  useStaySignedIn(submission.step === 'uploading')

  async function send(file: File, signal: AbortSignal): Promise<void> {
    if (uploaded.current === file) return
    setSubmission({ step: 'uploading', samples: [] })
    await uploadFile(file, { signal, onProgress: (sample) => setSubmission(withSample(sample)) })
    uploaded.current = file
  }

  function forgetFile(): void {
    uploaded.current = null
    setSent(({ count }) => ({ file: null, count }))
  }

  /** Sends the file without importing it, so that the portal can look into it. */
  async function upload(file: File): Promise<void> {
    const controller = new AbortController()
    running.current = controller
    try {
      await send(file, controller.signal)
      setSent(({ count }) => ({ file, count: count + 1 }))
      setSubmission({ step: 'idle' })
    } catch (error) {
      setSubmission(controller.signal.aborted ? { step: 'idle' } : { step: 'failed', reason: messageOf(error) })
    }
  }

  async function submit(file: File, body: NewImport | NewEventImport): Promise<void> {
    const controller = new AbortController()
    running.current = controller
    try {
      await send(file, controller.signal)
      setSubmission({ step: 'saving' })
      const saved = await createImport(body, controller.signal)
      void client.invalidateQueries({ queryKey: ['imports'] })
      onSaved(saved)
    } catch (error) {
      if (controller.signal.aborted) return setSubmission({ step: 'idle' })
      const reason = onRefused(error, forgetFile)
      setSubmission(reason === null ? { step: 'idle' } : { step: 'failed', reason })
    }
  }
  return { submission, sent, upload, submit, cancelUpload: () => running.current?.abort() }
}

const staySignedInEveryMs = 60_000

/** Sending a large file takes longer than a session may idle, here and on the server; no one has to click meanwhile. */
function useStaySignedIn(isUploading: boolean): void {
  useEffect(() => {
    if (!isUploading) return
    const timer = window.setInterval(() => {
      noteActivity()
      // Whether it is answered does not matter: the upload has a link of its own.
      countImports().catch(() => undefined)
    }, staySignedInEveryMs)
    return () => window.clearInterval(timer)
  }, [isUploading])
}

const withSample =
  (sample: UploadSample) =>
  (now: Submission): Submission =>
    now.step === 'uploading' ? { step: 'uploading', samples: addUploadSample(now.samples, sample) } : now
