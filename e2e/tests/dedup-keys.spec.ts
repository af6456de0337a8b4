import type { Import } from '@portico/contract/imports'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { expect, makeAccount, makePerson, openScreen, signIn, test } from '../portal.ts'
import { chooseColumns, chooseFile, openNewImport, openStep, rowOf } from '../screens.ts'

test('keys are computed for existing contacts before the first import with dedup columns', async ({ page }) => {
  const account = await makeAccount('Keyless Harbour')
  const person = await makePerson('Kay', { accounts: [account] })
  const api = await apiOf(person, account)
  const { _id } = await api.importFile('Gone again', 'Email,Name\nada@example.com,Ada\n')
  for (const Email of ['kai@example.com', 'KAI@example.com']) {
    await api.post('/contact-service/v1/offers', { values: { Email, Name: 'Kai' } })
  }
  const path = `/contact-service/v1/imports/${_id}`
  await api.post(`${path}/undo`, undefined)
  await api.until(path, ({ undo }: Import) => undo?.status === 'completed')

  await signIn(page, person)
  await openScreen(page, 'Imports')
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'kay.csv', 'Email,Name\nkai@example.com,Kai Ito\nlea@example.com,Lea\n')
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('First with keys')
  await openStep(dialog, 'Options')
  // The last import, which was taken back, had no PURLs.
  await dialog.getByRole('switch', { name: 'Generate PURL' }).click()
  await chooseColumns(dialog, 'PURL Columns', ['Name'])
  await chooseColumns(dialog, 'Dedup Columns', ['Email'])
  await expect(dialog.getByText(/^2 contacts have no key yet/)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Compute keys for existing contacts' }).click()
  await expect(dialog.getByText('1 contact has a key.')).toBeVisible({ timeout: 60_000 })
  await expect(dialog.getByText(/^1 contact has the key of another one/)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'First with keys').getByText('completed').first()).toBeVisible({ timeout: 60_000 })
})
