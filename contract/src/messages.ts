/** Texts shared by several forms and the server (specification 2 §5, 4 §8). */
export const messages = {
  required: 'Value is required!',
  invalid: 'Value is invalid!',
  duplicate: 'Value is duplicate!',
  notAllowed: 'Value is not allowed!',
  min5: 'Min 5 characters!',
  max50: 'Max 50 characters!',
  reserved: 'This is a reserved word!',
  duplicateEmail: 'An identity with this e-mail exists already!',
  duplicateService: 'A service identity with this name exists already!',
  duplicatePolicy: 'A policy with this name exists already!',
  duplicateGroup: 'A group with this name exists already!',
  addAction: 'Please add one action.',
  duplicateAction: (position: number) => `This action is at position ${position} already!`,
  duplicateCondition: (position: number) => `This condition is at position ${position} already!`,
  invalidEmail: 'Invalid email or format given',
  cannotChooseContacts:
    'A condition cannot choose contacts: a filter that contains this may find others too. Use “Contacts this identity may see” of identities.',
  duplicateValue: 'Duplicate value detected',
  tooLarge: 'This is larger than allowed.',
} as const
