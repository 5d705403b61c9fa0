// The settings that act on turns, by the names that turns give them.
import type { Settings } from "./settings.ts";

export function turnSettings(settings: Settings) {
  const { access, budgets, turns, conversations, approvals, denyTools, retention } = settings;
  return {
    public: access.public,
    allowEmail: access.allowEmail,
    merge: conversations.merge,
    concurrent: turns.concurrent,
    listenerTasksPerHour: budgets.listener.tasksPerHour,
    listenerConcurrent: budgets.listener.concurrent,
    callerTasksPerHour: budgets.caller.tasksPerHour,
    tokens: budgets.tokens,
    auto: approvals.auto,
    deny: denyTools,
    retentionDays: retention.days,
  };
}
