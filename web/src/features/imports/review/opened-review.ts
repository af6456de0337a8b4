import type { ImportReview } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import { useCallback, useEffect, useRef, useState } from 'react'
import { endImportReview } from '../imports-queries.ts'

/** A review as started, with its file and settings. */
export type OpenedReview = { started: ImportReview; file: File; body: NewImport }

/** The review that the dialog shows, if any. It ends when the user goes back, and with the dialog. */
export function useOpenedReview(onOpen: () => void) {
  const [opened, setOpened] = useState<OpenedReview | null>(null)
  const running = useRef<string | null>(null)
  const end = useCallback((): void => {
    if (running.current !== null) endImportReview(running.current)
    running.current = null
  }, [])
  useEffect(() => end, [end])
  return {
    opened,
    onReviewing: (started: ImportReview, file: File, body: NewImport): void => {
      // The portal ends an earlier one by itself.
      running.current = started._id
      setOpened({ started, file, body })
      onOpen()
    },
    endReview: (): void => {
      end()
      setOpened(null)
    },
  }
}
