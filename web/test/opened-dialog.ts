import { screen, waitFor, within } from '@testing-library/react'
import { expect } from 'vitest'

/** A dialog, once the item that it edits has loaded: until then a placeholder has its name. */
export async function openedDialog(name: string): Promise<HTMLElement> {
  await waitFor(() =>
    expect(within(screen.getByRole('dialog', { name })).queryByRole('status', { name: 'Loading' })).toBeNull(),
  )
  return screen.getByRole('dialog', { name })
}
