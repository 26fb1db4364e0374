// A friend (see story.mjs) on @modelcontextprotocol/sdk 1.x, over any of its transports.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { tap, tap_received } from './story.mjs';

export async function connect(transport) {
  const client = new Client({ name: 'test', version: '1' });
  const friend = {
    client, transport: tap(transport), heard: [], modern: false, not_found: -32002,
  };
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (m) => friend.heard.push(m));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, (m) => friend.heard.push(m));
  await client.connect(transport);
  tap_received(transport);
  friend.call = (name, args, options) =>
    client.callTool({ name, arguments: args }, undefined, options);
  friend.watch = async (uris) => {
    for (const uri of uris) await client.subscribeResource({ uri });
    return async () => {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    };
  };
  return friend;
}
