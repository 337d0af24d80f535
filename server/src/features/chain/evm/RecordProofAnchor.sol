// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Batch roots and file records, append-only. One account may write, fixed at deployment; nobody, that account included,
/// can change or remove what stands here, and there is no owner, no pause and no upgrade.
contract RecordProofAnchor {
    struct Root {
        bytes32 merkleRoot;
        uint64 treeSize;
        uint64 blockNumber;
    }

    error NotWriter();
    error AlreadyRecorded();
    error Malformed();

    event RootRecorded(bytes32 indexed batchKey, string batchNo, bytes32 merkleRoot, uint64 treeSize);
    event FileRecorded(bytes32 indexed recordId, bytes32 manifestHash);

    address public immutable writer;
    uint64 public rootCount;
    uint64 public recordCount;

    mapping(bytes32 batchKey => Root) private roots;
    mapping(bytes32 recordId => bytes32 manifestHash) public manifestHashOf;

    modifier onlyWriter() {
        if (msg.sender != writer) revert NotWriter();
        _;
    }

    constructor() {
        writer = msg.sender;
    }

    function recordRoot(string calldata batchNo, bytes32 merkleRoot, uint64 treeSize) external onlyWriter {
        uint256 length = bytes(batchNo).length;
        if (length == 0 || length > 128 || treeSize == 0) revert Malformed();
        bytes32 batchKey = keccak256(bytes(batchNo));
        if (roots[batchKey].treeSize != 0) revert AlreadyRecorded();
        roots[batchKey] = Root(merkleRoot, treeSize, uint64(block.number));
        rootCount++;
        emit RootRecorded(batchKey, batchNo, merkleRoot, treeSize);
    }

    function recordFile(bytes32 recordId, bytes32 manifestHash) external onlyWriter {
        if (manifestHash == 0) revert Malformed();
        if (manifestHashOf[recordId] != 0) revert AlreadyRecorded();
        manifestHashOf[recordId] = manifestHash;
        recordCount++;
        emit FileRecorded(recordId, manifestHash);
    }

    /// All zero when nothing stands here.
    function rootOf(string calldata batchNo)
        external
        view
        returns (bytes32 merkleRoot, uint64 treeSize, uint64 blockNumber)
    {
        Root storage root = roots[keccak256(bytes(batchNo))];
        return (root.merkleRoot, root.treeSize, root.blockNumber);
    }
}
