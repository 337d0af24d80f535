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

    struct Record {
        bytes32 manifestHash;
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
    mapping(bytes32 recordId => Record) private records;

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
        if (records[recordId].manifestHash != 0) revert AlreadyRecorded();
        records[recordId] = Record(manifestHash, uint64(block.number));
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

    /// All zero when nothing stands here.
    function recordOf(bytes32 recordId) external view returns (bytes32 manifestHash, uint64 blockNumber) {
        Record storage record = records[recordId];
        return (record.manifestHash, record.blockNumber);
    }
}
