import type { Dashboard } from '@portico/contract/dashboards'
import type { Page } from '@playwright/test'
import type { CallName } from '../server/test/kit/replacing-calls.ts'
import { makeDashboard } from './dashboards.ts'
import type { EditedItems } from './edited-forms.ts'
import { expect, portalUrl, signIn, type Trouble } from './portal.ts'
import { dialogOf, snackbar } from './screens.ts'

// Forms that report a save in between in a way of their own.

type Walk = { title: string; walk: (page: Page, items: EditedItems, trouble: Trouble) => Promise<void> }

/** The walks by the call that saves the form. */
export const otherForms: Partial<Record<CallName, Walk>> = {
  updateDashboard: {
    title: 'dashboard: a save in between is shown with its changes, and replaced on purpose only',
    walk: updateDashboard,
  },
  putPhoto: {
    title: 'photo: a save in between is shown, and replaced on purpose only',
    walk: replacePhoto,
  },
}

/** Calls without a form, each with the reason. */
export const formless: Partial<Record<CallName, string>> = {
  updateContactAccount: 'for programs; the form saves the same values by setImportDefaults',
  setExportSettings: 'one switch, saved as soon as it is turned, over what the server has then',
  setFilterSettings: 'one switch, saved as soon as it is turned, over what the server has then',
}

async function updateDashboard(page: Page, { account, self, prefix }: EditedItems, trouble: Trouble): Promise<void> {
  const { one: ann, api } = self
  const made = await makeDashboard(api, account, `${prefix} board`, [[{ cols: 12 }]])
  const path = `/contact-service/v1/dashboards/${made._id}`
  trouble.expect(`409 PUT /api${path}`)
  await signIn(page, ann, account, `/contact-service/dashboards?dashboard=${made._id}`)
  const update = page.getByRole('button', { name: 'Update', exact: true })
  await expect(update).toBeVisible()
  const { tags, sharedWith, definition } = made
  await api.put(path, { name: `${prefix} board late`, tags, sharedWith, definition })

  await update.click()
  const dialog = dialogOf(page, 'Update Dashboard')
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`${prefix} board mine`)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  const note = dialog.getByRole('alert')
  await expect(note.getByRole('listitem')).toContainText(`${ann.email}: Renamed to "${prefix} board late".`)
  const name = async (): Promise<string> => (await api.get<Dashboard>(path)).name
  expect(await name()).toBe(`${prefix} board late`)
  await note.getByRole('button', { name: 'Save over it' }).click()
  await expect(snackbar(page, `'${prefix} board mine' was successfully saved.`)).toBeVisible()
  expect(await name()).toBe(`${prefix} board mine`)
}

/** Replaces the photo while a dialog with another image is open. */
async function replacePhoto(page: Page, { account, self }: EditedItems, trouble: Trouble): Promise<void> {
  const path = '/api/identity/v1/profile/photo'
  trouble.expect(`409 PUT ${path}`)
  // Playwright's recorder reads blob URLs, which the portal's pages must not.
  trouble.allow(/^Connecting to 'blob:/)
  await signIn(page, self.one, account, '/module/user-profile')
  const image = await page.screenshot()
  await page.getByRole('button', { name: /^(Add a|Change the) photo$/ }).click()
  const dialog = dialogOf(page, 'Upload an image')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: /^Choose a/ }).click(),
  ])
  await chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: image })
  await expect(dialog.getByRole('group', { name: /^Part of the image/ })).toBeVisible()
  const headers = { authorization: `Bearer ${self.api.token}`, 'content-type': 'image/png' }
  const sent = await fetch(`${portalUrl()}${path}`, { method: 'PUT', headers, body: new Uint8Array(image) })
  expect(sent.status).toBe(200)
  const photo = async (): Promise<string> => (await self.api.get<{ photoURL: string }>('/identity/v1/profile')).photoURL
  const theirs = await photo()

  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  const note = dialog.getByRole('alert')
  await expect(note).toContainText('You saved this in another window while you were editing here.')
  await note.getByRole('button', { name: 'Compare' }).click()
  await expect(note.getByRole('row').last()).toHaveText(/Photo\s*Another photo\s*The image chosen here/)
  expect(await photo()).toBe(theirs)
  await note.getByRole('button', { name: 'Save mine instead' }).click()
  await expect(page.getByText('Your photo was changed.')).toBeVisible()
  expect(await photo()).not.toBe(theirs)
}
