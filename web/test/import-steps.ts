import type { ImportPreview, PreviewColumn } from '@portico/contract/import-preview'
import { screen, waitFor, within } from '@testing-library/react'
import type { userEvent } from '@testing-library/user-event'
import { expect } from 'vitest'

const order = ['File', 'Match', 'Options', 'Review']

/** The button of a step of the new-import dialog. */
export const stepButton = (name: string): HTMLElement =>
  within(screen.getByRole('navigation', { name: 'Steps' })).getByRole('button', { name: new RegExp(`^${name}`) })

/** Opens a step by its button or, if it was not reached yet, by Next. */
export async function openStep(user: ReturnType<typeof userEvent.setup>, name: string): Promise<void> {
  for (const step of order.slice(0, order.indexOf(name) + 1)) {
    // While the file is being sent, no step can be opened.
    await screen.findByRole('button', { name: 'Cancel' })
    const isReached = !stepButton(name).hasAttribute('disabled')
    if (isReached) await user.click(stepButton(name))
    else if (stepButton(step).hasAttribute('disabled')) {
      await waitFor(() => expect(screen.getByRole('button', { name: 'Next' })).toBeEnabled())
      await user.click(screen.getByRole('button', { name: 'Next' }))
    } else await user.click(stepButton(step))
    await waitFor(() => expect(stepButton(isReached ? name : step)).toHaveAttribute('aria-current', 'step'))
    if (isReached) return
  }
}

const fit = { cells: 0, examples: [] }

/** A column of a preview for tests: texts for a new field. */
export const aPreviewColumn = (part: Partial<PreviewColumn> = {}): PreviewColumn => ({
  name: 'Email',
  type: 'string',
  isEmpty: false,
  field: null,
  suggestion: null,
  effect: 'added',
  loadedType: 'string',
  isReport: false,
  misfits: { number: fit, boolean: fit, date: fit, day: fit },
  readings: [],
  suggestedReading: null,
  isAmbiguous: false,
  ...part,
})

/** The preview of a small file for tests. */
export const aPreview = (part: Partial<ImportPreview> = {}): ImportPreview => ({
  columns: ['First', 'Last', 'Email'].map((name) => aPreviewColumn({ name })),
  rows: [['Ada', 'Lovelace', 'ada@example.com']],
  sampledRows: 1,
  isWhole: true,
  setAsideRows: 0,
  emptyRows: 0,
  setAside: [],
  sheets: [],
  sheet: null,
  hiddenRows: 0,
  errorCells: 0,
  remembered: null,
  header: null,
  ...part,
})
