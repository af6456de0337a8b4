import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { anIdentity } from '#test/access.ts'
import { portalWithIdentities } from '#test/identities.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { IdentitiesPage } from './identities-page.tsx'

const email = 'tom.lind@example.com'

beforeEach(() => beSignedIn({ isPowerUser: true }))

test('the opened row lists all rights by area, with their policies and conditions in words', async () => {
  const reading = { policy: 'Reading', aid: 1, groups: ['Analysts'] }
  serveApi(
    portalWithIdentities([anIdentity()], {
      'GET /identity/v1/rights': answer({
        email,
        account: 1,
        role: 'member',
        hasHiddenPolicies: true,
        identities: [{ aid: 1, refusal: null, limits: ['Monday to Friday (UTC)'], rowRule: null }],
        rights: [
          {
            action: 'contact-service::exports::post',
            may: 'conditions',
            by: [{ policy: 0, action: 'contact-service::exports::*' }],
          },
          { action: 'contact-service::exports::get', may: 'always', by: [{ policy: 1, action: null }] },
          { action: 'contact-service::exports::put', may: 'never', by: [] },
        ],
        policies: [
          { ...reading, text: { conditions: ['body::delimiter::eq::csv'], conditionLogic: 'and' } },
          { ...reading, text: null },
        ],
      }),
    }),
  )
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `Expand ${email}` }))
  await user.click(screen.getByRole('button', { name: 'Show rights' }))
  const area = await screen.findByRole('region', { name: 'Exports and downloads 2 of 3' })
  const [exporting, , viewing] = within(area).getAllByRole('listitem')
  expect(exporting).toHaveTextContent('Export contacts contact-service::exports::post')
  expect(exporting).toHaveTextContent('under conditions')
  expect(exporting).toHaveTextContent(
    "By the policy 'Reading', from Analysts: contact-service::exports::*. Only if “delimiter” in the body is “csv”. body::delimiter::eq::csv",
  )
  expect(viewing).toHaveTextContent(
    "By the policy 'Reading', from Analysts. Its text is for those who may view policies.",
  )
  expect(viewing).not.toHaveTextContent('under conditions')
  expect(area).toHaveTextContent('May not: Cancel exports and retry deliveries.')
  expect(screen.getByText(/only within Monday to Friday \(UTC\)/)).toBeVisible()
  expect(screen.getByText(/What identities outside this account give is visible to power admins/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Hide rights' }))
  expect(screen.queryByRole('region', { name: 'Exports and downloads 2 of 3' })).toBeNull()
})
