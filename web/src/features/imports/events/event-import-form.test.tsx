import type { Feature } from '@portico/contract/features'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { stepButton } from '#test/import-steps.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { useSteps } from '../steps/use-steps.ts'
import { EventImportForm } from './event-import-form.tsx'

function Form() {
  return <EventImportForm moved={null} steps={useSteps()} shown={[]} onGuardChange={() => {}} onClose={() => {}} />
}

const unknown = 'Contacts have no field of this name.'

/** Fills in everything except the file, with a field to match contacts by, and tries to submit. */
async function submitWith(keyField: string, policies: Feature[]): Promise<Sent[]> {
  beSignedIn({ policies })
  const fields = answer([{ name: 'Loyalty', type: 'string', isIndexed: false }])
  const sent = serveApi({ 'GET /contact-service/v1/fields': fields })
  const { user } = renderApp(<Form />)
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Clicks of May')
  await user.click(stepButton('Match'))
  await user.type(screen.getByRole('combobox', { name: 'Key Column' }), 'Card')
  await user.type(screen.getByRole('combobox', { name: 'Contact Field' }), keyField)
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  // The file is missing.
  expect(await screen.findAllByText('Value is required!')).toHaveLength(1)
  return sent
}

test('an unknown contact field is reported', async () => {
  await submitWith('Shoe size', ['contact-imports-create', 'contact-offers-list'])
  expect(screen.getByText(unknown)).toBeVisible()
})

test('without the right to see contacts no fields are requested and any name is accepted', async () => {
  const sent = await submitWith('Loyalty', ['contact-imports-create'])
  expect(screen.queryByText(unknown)).toBeNull()
  expect(sent).toEqual([])
})
