import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { expect, makeAccount, makePerson, signIn, test } from '../portal.ts'
import { choose, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

const place = '/contact-service/fields'

test('the type of a field is changed after a preview of the conversion, and changed back', async ({ page }) => {
  const account = await makeAccount('Scorefield Trust')
  const nadia = await makePerson('Nadia', { accounts: [account] })
  const api = await apiOf(nadia, account)
  await api.importFile('Notes', 'Email,Score\nd@x,007\ne@x,2.10\nf@x,n/a\n')
  const stages = [{ $match: { Score: '007' } }]
  await api.post('/contact-service/v1/rdls', { name: 'Agents', aggregateQuery: JSON.stringify(stages) })
  await signIn(page, nadia, undefined, place)
  await page.getByRole('button', { name: 'Change the type of Score' }).press('Enter')
  const dialog = dialogOf(page, 'Change the type of Score')
  await choose(page, dialog.getByRole('combobox', { name: 'New Type' }), 'Number')
  await expect(dialog.getByText('2 of 3 values convert.')).toBeVisible()
  await expect(dialog.getByText('007 → 7')).toBeVisible()
  await expect(dialog.getByRole('cell', { name: 'n/a' })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(dialog.getByText('Saved filter Agents:')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Change Type' })).toBeDisabled()
  await dialog.getByRole('checkbox', { name: 'Change the type, though 1 thing will no longer work' }).press('Space')
  await dialog.getByRole('button', { name: 'Change Type' }).press('Enter')
  await expect(snackbar(page, "The type of 'Score' is being changed to Number.")).toBeVisible()
  await expect(rowOf(page, 'Score').getByRole('cell', { name: 'Number', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Expand Score' }).press('Enter')
  await expect(page.getByText('Texts Kept as Written')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Change the type of Score' }).press('Enter')
  await choose(page, dialog.getByRole('combobox', { name: 'New Type' }), 'Text')
  await expect(dialog.getByText('3 of 3 values convert.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Change Type' }).press('Enter')
  await expect(rowOf(page, 'Score').getByRole('cell', { name: 'Text', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Search & Analyze' }).first().click()
  for (const text of ['007', '2.10', 'n/a']) {
    await expect(page.getByRole('cell', { name: text, exact: true }).first()).toBeVisible()
  }
})
