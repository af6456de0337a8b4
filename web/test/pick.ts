import { screen, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'

/** Chooses an option of a select, in a dialog or on the page. */
export async function pick(user: UserEvent, label: string, option: string): Promise<void> {
  await user.click(screen.getByRole('combobox', { name: label }))
  const list = await screen.findByRole('listbox', { name: label, hidden: true })
  await user.click(within(list).getByRole('option', { name: option, hidden: true }))
}
