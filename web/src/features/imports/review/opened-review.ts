import type { ImportReview } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import { useCallback, useEffect, useRef, useState } from 'react'
import { endImportReview } from '../imports-queries.ts'

/** A review as started, with its file and settings. */
export type OpenedReview = { started: ImportReview; file: File; body: NewImport }

/** The review that the dialog shows, if any. It ends when the user goes back, and with the dialog. */
export function useOpenedReview() {
  const button = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState<OpenedReview | null>(null)
  const running = useRef<string | null>(null)
  const end = useCallback((): void => {
    if (running.current !== null) endImportReview(running.current)
    running.current = null
  }, [])
  useEffect(() => end, [end])
  const endReview = (): void => {
    end()
    setOpened(null)
  }
  return {
    opened,
    /** The button that starts the review. */
    button,
    onReviewing: (started: ImportReview, file: File, body: NewImport): void => {
      // The portal ends an earlier one by itself.
      running.current = started._id
      setOpened({ started, file, body })
    },
    endReview,
    /** Ends the review, and focuses the button that started it, once it is rendered again. */
    goBack: (): void => {
      endReview()
      requestAnimationFrame(() => button.current?.focus())
    },
  }
}
