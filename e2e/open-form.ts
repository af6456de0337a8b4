import type { Locator, Page } from '@playwright/test'
import type { EditedForm } from './edited-forms.ts'
import { expect } from './portal.ts'

/** Opens the form of `opener`, or goes to its screen; returns the form with its field. */
export async function openForm(
  page: Page,
  { title, place, field }: EditedForm,
  opener: Locator | null,
): Promise<{ form: Locator; field: Locator }> {
  if (opener) await opener.click()
  else await page.goto(place)
  const form = title === undefined ? page.getByRole('main') : page.getByRole('dialog', { name: title })
  await expect(field(form)).toBeVisible()
  return { form, field: field(form) }
}
