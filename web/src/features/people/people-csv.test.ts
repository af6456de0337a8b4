import { expect, test } from 'vitest'
import { peopleCsv } from './people-csv.ts'

test('each person is a line, formulas are guarded, and texts with commas are quoted', () => {
  const person = { _id: 'a', accounts: 2, isGlobal: false, hasTwoFactor: null, state: 'partly-disabled' as const }
  expect(
    peopleCsv([
      { ...person, email: 'ada@example.com', userName: '=1+1', lastSignInAt: null },
      {
        ...person,
        email: 'bob@example.com',
        userName: 'Bob, B.',
        isGlobal: true,
        hasTwoFactor: true,
        lastSignInAt: '2026-01-02T03:04:05.000Z',
      },
    ]),
  ).toBe(
    'email,name,accounts,all accounts,last sign-in,two-factor,state\n' +
      "ada@example.com,'=1+1,2,no,,unknown,partly disabled\n" +
      'bob@example.com,"Bob, B.",2,yes,2026-01-02T03:04:05.000Z,on,partly disabled\n',
  )
})
