import { expect, test } from 'vitest'
import { holdersCsv } from './holders-csv.ts'
import type { RightHolder } from './rights-queries.ts'

const holder: RightHolder = {
  email: 'ada@example.com',
  userName: '=1+1',
  kind: 'person',
  may: 'conditions',
  role: 'member',
  identities: [{ aid: 1, refusal: null, limits: ['Monday (UTC)'], rowRule: null }],
  by: [
    {
      policy: 'Export, as CSV',
      aid: 1,
      groups: ['Analysts'],
      action: '*::exports::*',
      text: { conditions: ['body::delimiter::eq::csv'], conditionLogic: 'and' },
    },
  ],
}

test('each holder is a line, formulas are guarded, and texts with commas and quotes are quoted', () => {
  const action = 'contact-service::exports::post'
  expect(holdersCsv(action, [holder, { ...holder, by: [], may: 'always', role: 'power-user' }])).toBe(
    'action,email,name,status,may,policies,groups,conditions,limits\n' +
      `${action},ada@example.com,'=1+1,,Under conditions,"Export, as CSV",Analysts,Only if “delimiter” in the body is “csv”.,Monday (UTC)\n` +
      `${action},ada@example.com,'=1+1,power user,Always,,,,Monday (UTC)\n`,
  )
})
