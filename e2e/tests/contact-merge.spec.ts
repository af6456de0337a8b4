import { expectAccessible, expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { expect, makeAccount, makePerson, openScreen, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

const file = [
  'First Name,Last Name,Email,City,Phone',
  'Ada,King,ada@example.com,Bern,',
  'Ada,King,a.king@example.com,Rome,555 0100',
  '',
].join('\n')

test('a contact is merged into another one by keyboard, on a phone too, and the merge is undone', async ({ page }) => {
  const account = await makeAccount('Twice Told')
  const person = await makePerson('Wilma', { accounts: [account] })
  const api = await apiOf(person, account)
  const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  await api.importFile('Everyone', file, keys)
  await signIn(page, person)
  await openScreen(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Expand Ada' }).first().click()
  await page.getByRole('link', { name: 'Contact page' }).click()
  const region = (name: string) => page.getByRole('region', { name })
  await expect.poll(() => detailsOf(region('Fields'))).toMatchObject({ 'First Name': 'Ada' })
  const [email, other, purl, otherPurl] =
    (await detailsOf(region('Fields')))['Email'] === 'ada@example.com'
      ? ['ada@example.com', 'a.king@example.com', 'adaking', 'adaking2']
      : ['a.king@example.com', 'ada@example.com', 'adaking2', 'adaking']

  await page.getByRole('button', { name: 'Merge with…' }).press('Enter')
  const dialog = dialogOf(page, 'Merge Contacts')
  await expect(dialog.getByRole('textbox', { name: 'Value' })).toBeFocused()
  await page.keyboard.type('unknown@example.com')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('No other contact has this value.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Value' }).fill(other.toUpperCase())
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: /^Compare with contact/ }).press('Enter')

  await expect(
    dialog.getByRole('radiogroup', { name: 'Email' }).getByRole('radio', { name: `This contact: ${email}` }),
  ).toBeChecked()
  await expect(dialog.getByText('2 equal fields')).toBeVisible()
  await expect(dialog.getByText(`The PURL stays ${purl}; ${otherPurl} leads to it from now on`)).toBeVisible()
  const city = dialog.getByRole('radiogroup', { name: 'City' })
  await city.getByRole('radio', { checked: true }).press('ArrowRight')
  await expect(city.getByRole('radio', { name: /^The other contact:/ })).toBeChecked()
  const chosen = email === 'ada@example.com' ? 'Rome' : 'Bern'
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Merge', exact: true }).press('Enter')
  await expect(snackbar(page, 'The contacts were merged. This can be undone for 30 days, under Deletes.')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect.poll(() => detailsOf(region('Fields'))).toMatchObject({ Email: email, City: chosen, Phone: '555 0100' })
  await expect(region('Changes').getByText(/^Merged with contact \d+ by/)).toBeVisible()

  await region('Changes').getByRole('link', { name: 'Undo under Deletes' }).click()
  await expect(rowOf(page, '1').getByText(/merged into contact \d+$/)).toBeVisible()
  await page.getByRole('button', { name: 'Actions for delete 1' }).click()
  await page.getByRole('menuitem', { name: 'Undo merge' }).click()
  await dialogOf(page, 'Undo merge').getByRole('button', { name: 'Yes, undo it' }).click()
  await expect(rowOf(page, '1').getByText('undone', { exact: true })).toBeVisible({ timeout: 60_000 })
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('2 contacts', { exact: true })).toBeVisible()
})

test('two contacts chosen in the results are merged, and the merge is undone from its snackbar', async ({ page }) => {
  const account = await makeAccount('Twice Chosen')
  const person = await makePerson('Wanda', { accounts: [account] })
  const api = await apiOf(person, account)
  const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  await api.importFile('Everyone', file, keys)
  await signIn(page, person)
  await openScreen(page, 'Search & Analyze')
  for (const row of [0, 1]) await page.getByRole('checkbox', { name: 'Select Ada King' }).nth(row).press('Space')
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await expect(bar.getByText('2 selected')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await bar.getByRole('button', { name: 'Merge' }).press('Enter')
  const dialog = dialogOf(page, 'Merge Contacts')
  await dialog.getByRole('button', { name: 'Swap' }).press('Enter')
  await dialog.getByRole('button', { name: 'Merge', exact: true }).press('Enter')
  await expect(page.getByText('1 contact', { exact: true })).toBeVisible()
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(snackbar(page, 'The merge was undone.')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('2 contacts', { exact: true })).toBeVisible()
})
