export const s = new RTCPeerConnection();
