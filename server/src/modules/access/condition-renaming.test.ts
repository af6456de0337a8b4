import { expect, test } from 'vitest'
import { partsNamingFields, renameInCondition } from './condition-renaming.ts'

// Renaming a field in conditions: a condition means the field only where requests of its policy name fields.

const exporting = 'contact-service::exports::post'
const editing = 'contact-service::offers::put'
const adding = 'contact-service::offers::post'
const importing = 'contact-service::imports::post'
const searching = 'contact-service::offers::get'
const charting = 'bi::dashboards::*'
const scheduling = 'scheduler::crons::post'
const linking = 'contact-service::remoteAccess::*'
const everything = '*::*::*'

const follow = (action: string, condition: string, from: string, to: string) =>
  renameInCondition(condition, partsNamingFields([action]), { from, to })

test.each([
  [exporting, 'body::exportFields::nin::Secret,Salary', 'Salary', 'Pay', 'body::exportFields::nin::Secret,Pay'],
  [exporting, 'body::exportFields::neq::salary', 'Salary', 'Pay, net', 'body::exportFields::neq::Pay, net'],
  [exporting, 'body::exportFields::nin::Salary', 'Salary', 'SALARY', 'body::exportFields::nin::SALARY'],
  [everything, 'body::exportFields::in::City,Salary', 'Salary', 'Pay', 'body::exportFields::in::City,Pay'],
  [searching, 'query::select::nin::Salary', 'Salary', 'Pay', 'query::select::nin::Pay'],
  [editing, 'body::changes.Salary.to::neq::0', 'Salary', 'Pay', 'body::changes.Pay.to::neq::0'],
  [editing, 'body::changes.Net.Salary.to::neq::0', 'Net.Salary', 'Pay', 'body::changes.Pay.to::neq::0'],
  [editing, 'body::changes.Salary.to::neq::0', 'Salary', 'Net.Pay', 'body::changes.Net.Pay.to::neq::0'],
  [adding, 'body::values.Net.Salary::neq::Salary', 'net.salary', 'Pay', 'body::values.Pay::neq::Salary'],
  [importing, 'body::columnMapping.Wage::neq::Salary', 'Salary', 'Pay', 'body::columnMapping.Wage::neq::Pay'],
  [
    exporting,
    'body::aggregateQuery.$match.Net.City.$in::nin::Oslo',
    'Net.City',
    'Town',
    'body::aggregateQuery.$match.Town.$in::nin::Oslo',
  ],
  [
    scheduling,
    'body::instruction.aggregateQuery.$match.$or.City::neq::City',
    'City',
    'Town',
    'body::instruction.aggregateQuery.$match.$or.Town::neq::City',
  ],
  [
    charting,
    'body::definition.layout.chart.filter.columns::nin::City',
    'City',
    'Town',
    'body::definition.layout.chart.filter.columns::nin::Town',
  ],
])('on %s, the condition %s is updated when the field %s is renamed to %s', (action, condition, from, to, text) => {
  expect(follow(action, condition, from, to)).toEqual({ text, namesField: true, isClear: true })
  expect(follow(action, text, to, from)).toMatchObject({ isClear: true })
})

test.each([
  [exporting, 'body::name::neq::Payroll', 'Name', 'Full name'],
  [exporting, 'body::name::neq::Payroll', 'Payroll', 'Wages'],
  [exporting, 'body::notifications.City::neq::x', 'City', 'Town'],
  [exporting, 'body::changes.Salary.to::neq::0', 'Salary', 'Pay'],
  [editing, 'body::changes.Net.Salary.to::neq::0', 'Salary', 'Pay'],
  [editing, 'body::changes.Net.Salary.to::neq::0', 'Net', 'Gross'],
  [editing, 'body::changes.City.to::neq::Salary', 'Salary', 'Pay'],
  [exporting, 'body::exportFields::neq::Net Salary', 'Salary', 'Pay'],
  [exporting, 'body::exportFields::sw::Public', 'Salary', 'Pay'],
  [exporting, 'body::aggregateQuery.$match.events.$elemMatch.City::neq::x', 'City', 'Town'],
  [exporting, 'body::aggregateQuery.$match.Age::neq::City', 'City', 'Town'],
  ['contact-service::fields::put', 'body::name::neq::Salary', 'Salary', 'Pay'],
  ['contact-service::exports::get', 'body::exportFields::nin::Salary', 'Salary', 'Pay'],
  [exporting, 'no condition', 'no', 'yes'],
])('on %s, the condition %s is unaffected by renaming %s to %s', (action, condition, from, to) => {
  expect(follow(action, condition, from, to)).toEqual({ text: condition, namesField: false, isClear: true })
})

test.each([
  ['a prefix takes the new name', exporting, 'body::exportFields::sw::Public', 'Salary', 'Public Salary'],
  ['a prefix no longer takes it', exporting, 'body::exportFields::sw::Public', 'Public City', 'City'],
  ['a pattern denies the new name', exporting, 'body::exportFields::nct::Sal', 'City', 'Salzburg'],
  ['a pattern denied the old one', editing, 'body::changes::nct::Salary', 'Salary', 'Pay'],
  ['a part of the name was denied', adding, 'body::values::nct::Sal', 'Salary', 'Pay'],
  ['the new name is denied', exporting, 'body::exportFields::nin::Secret', 'City', 'Secret'],
  ['the new name is allowed', exporting, 'body::exportFields::in::City,Pay', 'Salary', 'Pay'],
  ['the new name is denied in a list', searching, 'query::select::neq::Pay', 'Salary', 'Pay'],
  ['an edit of the new name is limited', editing, 'body::changes.Pay.to::neq::0', 'Salary', 'Pay'],
  [
    'a regular expression has it',
    exporting,
    String.raw`body::exportFields::regex::^(City|Net\.Salary)$`,
    'Net.Salary',
    'Pay',
  ],
  ['stages have it', searching, 'query::find::nct::"Salary":', 'Salary', 'Pay'],
  ['stages may have the new name', searching, 'query::aggregate::nct::"Pay":"x"', 'Salary', 'Pay'],
  ['stages have a part of it', searching, 'query::find::nct::"Sal', 'Salary', 'Pay'],
  ['a column of a group may be it', exporting, 'body::aggregateQuery.$group._id.City::nct::x', 'City', 'Town'],
  ['a column of a file may be it', importing, 'body::columnMapping.City::eq::Place', 'City', 'Town'],
  ['a part above it has it', scheduling, 'body::instruction::nct::Salary', 'Salary', 'Pay'],
  ['a whole list has it', searching, 'query::select::eq::City Salary', 'Salary', 'Pay'],
  ['a list would hold a comma', exporting, 'body::exportFields::nin::Salary,City', 'Salary', 'Pay, net'],
  ['a cell has it', charting, 'body::definition::nct::Salary', 'Salary', 'Pay'],
  ['columns of contacts have it', linking, 'body::filter::nct::"Salary"', 'Salary', 'Pay'],
  ['the key of an index has it', 'contact-service::indexes::delete', 'param::0::neq::Salary_1', 'Salary', 'Pay'],
])('%s: on %s, the condition %s blocks renaming %s to %s', (_why, action, condition, from, to) => {
  expect(follow(action, condition, from, to)).toMatchObject({ isClear: false })
})
