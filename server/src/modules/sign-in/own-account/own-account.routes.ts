import { ownAccountApi } from '@portico/contract/own-account'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { SignInServices } from '../sign-in-deps.ts'
import { confirmPassword } from '../passwords/password-confirmation.service.ts'
import { readInvitation, register } from '../person-links/invitations.service.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from '../sessions/own-sessions.service.ts'
import { changePassword, forgotPassword, readPasswordReset, resetPassword } from '../passwords/password.service.ts'
import { createTokens } from '#credentials'
import {
  confirmTwoFactor,
  renewRecoveryCodes,
  setUpTwoFactor,
  turnTwoFactorOff,
} from '../two-factor/two-factor.service.ts'

/** Routes for the caller's own sign-in: invitation, password, two-factor, sessions. */
export function ownAccountRoutes(app: FastifyInstance, services: SignInServices) {
  const deps = { ...services, tokens: createTokens(services.config.secretKey) }
  serve(app, ownAccountApi.readInvitation, ({ db }, { body }) => readInvitation(db, body.invitation))
  serve(app, ownAccountApi.getInvitation, ({ db }, { invitation }) => readInvitation(db, invitation))
  serve(app, ownAccountApi.register, (from, { body }) => register(deps, body, from))
  serve(app, ownAccountApi.forgotPassword, (from, { body }) => forgotPassword(deps, body, from))
  serve(app, ownAccountApi.readPasswordReset, ({ db }, { body }) => readPasswordReset(db, body.link))
  serve(app, ownAccountApi.getPasswordReset, ({ db }, { link }) => readPasswordReset(db, link))
  serve(app, ownAccountApi.resetPassword, (from, { body }) => resetPassword(deps, body, from))
  serve(app, ownAccountApi.changePassword, (from, { body }) => changePassword(deps, from.caller, body, from))
  serve(app, ownAccountApi.setUpTwoFactor, (from, { body }) => setUpTwoFactor(deps, from.caller, body, from))
  serve(app, ownAccountApi.confirmTwoFactor, (from, { body }) => confirmTwoFactor(deps, from.caller, body, from))
  serve(app, ownAccountApi.renewRecoveryCodes, (from, { body }) => renewRecoveryCodes(deps, from.caller, body, from))
  serve(app, ownAccountApi.turnTwoFactorOff, (from, { body }) => turnTwoFactorOff(deps, from.caller, body, from))
  serve(app, ownAccountApi.listOwnSessions, ({ db, caller }) => listOwnSessions(db, caller))
  serve(app, ownAccountApi.endOwnSession, ({ db, caller, actor }, { id }) => endOwnSession(db, caller, id, actor))
  serve(app, ownAccountApi.endOtherSessions, ({ db, caller, actor }) => endOtherSessions(db, caller, actor))
  serve(app, ownAccountApi.givePassword, (from, { body }) => confirmPassword(deps, from.caller, body, from))
}
