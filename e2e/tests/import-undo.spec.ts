import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile, csvLine } from '../contact-file.ts'
import { expect, makeAccount, makePerson, openScreen, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, rowOf, snackbar } from '../screens.ts'

const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }

test('imports of events and of contacts are taken back after a confirmation that lists the effects', async ({
  page,
}) => {
  const account = await makeAccount('Returning Tides')
  const person = await makePerson('Rika', { accounts: [account] })
  const api = await apiOf(person, account)
  await api.importFile('First of the tide', csvFile(contacts(3)), keys)
  await api.importFile('Second of the tide', csvFile(contacts(5)), keys)
  const clicks = contacts(4).map(({ Email }) => csvLine([Email, 'click', '2026-05-01']))
  await api.importEvents('Clicks of the tide', csvLine(['Email', 'event_code', 'event_date']) + clicks.join(''))
  await signIn(page, person)
  await openScreen(page, 'Imports')

  // Contacts with events would stay.
  await page.getByRole('button', { name: 'Actions for Clicks of the tide' }).click()
  await page.getByRole('menuitem', { name: 'Undo import' }).click()
  const ofEvents = dialogOf(page, 'Undo import')
  await expect(
    ofEvents.getByText('4 events that it recorded will be deleted. Contacts stay as they are.'),
  ).toBeVisible()
  await expectAccessible(page)
  await ofEvents.getByRole('button', { name: 'Yes, undo it' }).click()
  await expect(rowOf(page, 'Clicks of the tide').getByText('taken back', { exact: true })).toBeVisible({
    timeout: 60_000,
  })
  await page.getByRole('button', { name: 'Expand Clicks of the tide' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Events Deleted': '4' })
  await page.getByRole('button', { name: 'Collapse Clicks of the tide' }).click()

  await page.getByRole('button', { name: 'Actions for Second of the tide' }).click()
  await page.getByRole('menuitem', { name: 'Undo import' }).click()
  const question = dialogOf(page, 'Undo import')
  await expect(question.getByText('2 contacts that it created will be deleted.')).toBeVisible()
  await expect(question.getByRole('button', { name: 'No', exact: true })).toBeFocused()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Yes, undo it' }).click()
  await expect(snackbar(page, "'Second of the tide' is being taken back.")).toBeVisible()

  await expect(rowOf(page, 'Second of the tide').getByText('taken back', { exact: true })).toBeVisible({
    timeout: 60_000,
  })
  await page.getByRole('button', { name: 'Expand Second of the tide' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Contacts Deleted': '2', 'Contacts Kept': '0' })
  await expectAccessible(page)
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('3 contacts')).toBeVisible()
})
