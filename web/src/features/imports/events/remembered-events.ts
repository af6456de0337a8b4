import type { ImportPreview } from '@portico/contract/import-preview'
import { useEffect, useRef } from 'react'
import type { EventForm } from './event-import-rules.ts'

/**
 * Applies the key and the targets of the last import of events from a file with this header, once per file, where the
 * user has mapped no column.
 */
export function useRememberedEvents(form: EventForm, sent: number, preview: ImportPreview | null | undefined): void {
  const applied = useRef(0)
  const { setValues } = form
  const remembered = preview?.remembered
  useEffect(() => {
    if (!remembered || applied.current === sent) return
    applied.current = sent
    const { keyColumn, keyField, columnMapping } = remembered
    const targets = Object.entries(columnMapping).map(([column, target]) => [column, target ?? ''])
    setValues((now) => {
      if (Object.keys(now.columnMapping ?? {}).length > 0) return {}
      return {
        columnMapping: Object.fromEntries(targets),
        ...(keyColumn !== null && { keyColumn }),
        ...(keyField !== null && { keyField }),
      }
    })
  }, [remembered, sent, setValues])
}
