import type { ImportReview } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import { useCallback, useEffect, useRef, useState } from 'react'
import { endImportReview } from '../imports-queries.ts'

/** A review as it began, with the file and the settings that it is about. */
export type OpenedReview = { started: ImportReview; file: File; body: NewImport }

/** The review that the dialog shows, if any. It ends when the person goes back, and with the dialog. */
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
    /** It leads to the review. */
    button,
    onReviewing: (started: ImportReview, file: File, body: NewImport): void => {
      // The portal ends an earlier one by itself.
      running.current = started._id
      setOpened({ started, file, body })
    },
    endReview,
    /** Ends the review, and gives the keyboard to the button that led to it, once it is there again. */
    goBack: (): void => {
      endReview()
      requestAnimationFrame(() => button.current?.focus())
    },
  }
}
